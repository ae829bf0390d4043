import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsup';

const yaml = dirname(createRequire(import.meta.url).resolve('yaml/package.json'));

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

export default defineConfig({
  entry: {
    main: 'src/main.ts',
    // Started on a thread and as a process of their own, so they need files of their own.
    'isolated-worker': 'src/plugins/isolated-worker.ts',
    'conformance-client': 'src/conformance-client.ts',
  },
  format: ['esm'],
  dts: false,
  sourcemap: true,
  clean: true,
  splitting: true,
  // Read as many files of its own, the YAML reader alone would take as long to load as Node.
  noExternal: ['yaml', 'picocolors'],
  define: { PETASOS_VERSION: JSON.stringify(version) },
  esbuildOptions(options) {
    // The package's only build in modules; its other one needs `require`, which modules do not have.
    options.alias = { yaml: join(yaml, 'browser/index.js') };
  },
  target: 'node20',
});
