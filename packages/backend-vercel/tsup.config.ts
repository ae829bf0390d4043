import { copyFile, mkdir } from 'node:fs/promises';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  // What talks to the service is loaded when it is used: a listing of backends reads a few kilobytes.
  splitting: true,
  target: 'node20',
  external: ['@vercel/sandbox', 'ws'],
  noExternal: ['valibot'],
  esbuildOptions(options) {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
  async onSuccess() {
    await mkdir('dist/licenses', { recursive: true });
    await copyFile('node_modules/valibot/LICENSE.md', 'dist/licenses/valibot.txt');
  },
});
