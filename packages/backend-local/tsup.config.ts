import { copyFile, mkdir } from 'node:fs/promises';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  external: ['@lydell/node-pty'],
  // Of the schema library's 200 KB the options use a tenth; whole, it would be the slowest part of a start.
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
