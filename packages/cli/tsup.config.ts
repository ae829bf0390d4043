import { readFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { defineConfig } from 'tsup';
import { library, rawText } from '../../tsup.shared.js';

const directoryOf = (name: string, from = import.meta.url): string => {
  const paths = createRequire(from).resolve.paths(name) ?? [];
  for (const modules of paths) {
    try {
      readFileSync(join(modules, name, 'package.json'));
      return join(modules, name);
    } catch {
      // Not in this one.
    }
  }
  throw new Error(`${name} is not installed`);
};

/** Read as many files of its own, the YAML reader alone would take as long to load as Node. */
const bundled = ['yaml', 'picocolors', '@clack/prompts'];
/** What they bring along. */
const withThem: readonly (readonly [name: string, from: string])[] = [
  ['@clack/core', '@clack/prompts'],
  ['sisteransi', '@clack/prompts'],
  ['fast-wrap-ansi', '@clack/prompts'],
  ['fast-string-width', '@clack/prompts'],
];

const readManifest = (path: string) =>
  JSON.parse(readFileSync(path, 'utf8')) as {
    version: string;
    devDependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
  };
const { version } = readManifest('package.json');
const core = readManifest('../core/package.json');
const local = readManifest('../backend-local/package.json');
const workspace = readManifest('../../package.json');

/** What the scaffold of a backend depends on: the same as the backends of this repository. */
const scaffold = {
  core: local.peerDependencies?.['@petasos/core'],
  coreDev: `^${core.version}`,
  valibot: `^${local.devDependencies?.valibot}`,
  typescript: `^${workspace.devDependencies?.typescript}`,
  vitest: `^${workspace.devDependencies?.vitest}`,
  types: `^${workspace.devDependencies?.['@types/node']}`,
};

export default defineConfig({
  ...library,
  entry: {
    main: 'src/main.ts',
    // Started on a thread and as a process of their own, so they need files of their own.
    'isolated-worker': 'src/plugins/isolated-worker.ts',
    'conformance-client': 'src/conformance-client.ts',
  },
  dts: false,
  splitting: true,
  noExternal: [...bundled, ...withThem.map(([name]) => name)],
  define: { PETASOS_VERSION: JSON.stringify(version), PETASOS_SCAFFOLD: JSON.stringify(scaffold) },
  esbuildOptions(options, context) {
    library.esbuildOptions?.(options, context);
    // The package's only build in modules; its other one needs `require`, which modules do not have.
    options.alias = { yaml: join(directoryOf('yaml'), 'browser/index.js') };
  },
  esbuildPlugins: [
    rawText,
    {
      name: 'licenses',
      setup: (build) =>
        build.onEnd(async () => {
          const target = join(build.initialOptions.outdir ?? 'dist', 'licenses');
          await mkdir(target, { recursive: true });
          const file = (name: string) => join(target, `${name.replace('/', '-')}.txt`);
          for (const name of bundled) await copyLicense(directoryOf(name), file(name));
          for (const [name, from] of withThem) await copyLicense(join(realModules(from), name), file(name));
        }),
    },
  ],
});

/** The folder of modules that a package's own dependencies lie in. */
function realModules(name: string): string {
  const main = createRequire(import.meta.url).resolve(name);
  return main.slice(0, main.lastIndexOf(`${join('/node_modules', name)}/`) + '/node_modules'.length);
}

async function copyLicense(directory: string, target: string): Promise<void> {
  for (const name of ['LICENSE', 'LICENSE.md', 'license']) {
    try {
      return await copyFile(join(directory, name), target);
    } catch {
      // Under another name.
    }
  }
  throw new Error(`${directory} has no license file`);
}
