import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    backend: 'src/backend.ts',
    'sandbox/index': 'src/sandbox/index.ts',
    'approval/index': 'src/approval/index.ts',
    'conformance/index': 'src/conformance/index.ts',
    'conformance/vitest': 'src/conformance/vitest.ts',
    'testing/index': 'src/testing/index.ts',
  },
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  splitting: true,
  // Every command is judged: as one file of its own the parser costs each start of a program more than all of core.
  noExternal: ['unbash'],
  async onSuccess() {
    await mkdir('dist/licenses', { recursive: true });
    await copyFile('node_modules/unbash/LICENSE', 'dist/licenses/unbash.txt');
  },
  esbuildOptions(options) {
    // Names stay readable in stack traces; comments and blanks would be read at every start of a program.
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
});
