import { readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { defineConfig } from 'tsup';

const directoryOf = (name: string) => dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** Read as many files of its own, the YAML reader alone would take as long to load as Node. */
const bundled = ['yaml', 'picocolors'];

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
  noExternal: bundled,
  define: { PETASOS_VERSION: JSON.stringify(version) },
  esbuildOptions(options) {
    // Comments and blanks are read at every start; names stay, so that an error can be understood.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
    // The package's only build in modules; its other one needs `require`, which modules do not have.
    options.alias = { yaml: join(directoryOf('yaml'), 'browser/index.js') };
  },
  esbuildPlugins: [
    {
      name: 'licenses',
      setup: (build) =>
        build.onEnd(async () => {
          const target = join(build.initialOptions.outdir ?? 'dist', 'licenses');
          await mkdir(target, { recursive: true });
          for (const name of bundled) await copyFile(join(directoryOf(name), 'LICENSE'), join(target, `${name}.txt`));
        }),
    },
  ],
  target: 'node20',
});
