import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: { index: 'src/index.ts' },
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  // Of the schema library's 200 KB the options use a tenth; whole, it would be the slowest part of a start.
  noExternal: ['valibot'],
  esbuildOptions(options) {
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
  esbuildPlugins: [
    {
      name: 'raw',
      setup(build) {
        build.onResolve({ filter: /\?raw$/ }, ({ path: file, resolveDir }) => ({
          path: path.resolve(resolveDir, file.slice(0, -'?raw'.length)),
          namespace: 'raw',
        }));
        build.onLoad({ filter: /.*/, namespace: 'raw' }, async ({ path: file }) => ({
          contents: await readFile(file, 'utf8'),
          loader: 'text',
        }));
      },
    },
  ],
  async onSuccess() {
    await mkdir('dist/licenses', { recursive: true });
    await copyFile('node_modules/valibot/LICENSE.md', 'dist/licenses/valibot.txt');
  },
});
