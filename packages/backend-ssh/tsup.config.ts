import { copyFile, mkdir } from 'node:fs/promises';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts', connection: 'src/connection/index.ts' },
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  // Of the schema library the options use a tenth.
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
