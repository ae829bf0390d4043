import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
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
  esbuildPlugins: [
    {
      name: 'raw',
      setup(build) {
        build.onResolve({ filter: /\?raw$/ }, ({ path: file, resolveDir }) => ({
          path: path.resolve(resolveDir, file.slice(0, -'?raw'.length)),
          namespace: 'raw',
        }));
        build.onLoad({ filter: /.*/, namespace: 'raw' }, async ({ path: file }) => ({ contents: await readFile(file, 'utf8'), loader: 'text' }));
      },
    },
  ],
});
