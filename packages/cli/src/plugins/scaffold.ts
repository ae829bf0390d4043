import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CONTRACT_VERSION } from '@petasos/core/backend';
import type { Context } from '../session/context.js';
import { UsageError } from '../ui/errors.js';
import test from './template/conformance.test.ts.txt?raw';
import driver from './template/driver.ts.txt?raw';
import backend from './template/index.ts.txt?raw';
import readme from './template/README.md.txt?raw';
import tsconfig from './template/tsconfig.json.txt?raw';

/** Written by the build: what a backend of this contract may depend on, and what its author needs. */
declare const PETASOS_SCAFFOLD: Readonly<Record<'core' | 'coreDev' | 'valibot' | 'typescript' | 'vitest' | 'types', string>>;

/**
 * Writes a package that passes the suite as it is.
 * @returns the files, relative to the folder
 * @throws UsageError when the folder has something in it
 */
export async function writeScaffold(context: Context, name: string, packageName: string, directory: string): Promise<readonly string[]> {
  const target = resolve(context.cwd, directory);
  const there = await readdir(target).catch((): string[] => []);
  if (there.length > 0) throw new UsageError(`${directory} has something in it`, 'Name a folder that is empty or not there.');
  const named = (text: string) => text.replaceAll('petasos-backend-example', packageName).replaceAll(/\bexample\b/g, name);
  const files: Readonly<Record<string, string>> = {
    'package.json': `${JSON.stringify(manifest(name, packageName), null, 2)}\n`,
    'tsconfig.json': tsconfig,
    'README.md': named(readme),
    '.gitignore': 'node_modules/\ndist/\n',
    'src/index.ts': named(backend),
    'src/driver.ts': named(driver),
    'test/conformance.test.ts': named(test),
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text, { flag: 'wx' });
  }
  return Object.keys(files);
}

function manifest(name: string, packageName: string): object {
  const versions = PETASOS_SCAFFOLD;
  return {
    name: packageName,
    version: '0.1.0',
    description: `Petasos backend: ${name}.`,
    license: 'MIT',
    type: 'module',
    engines: { node: '>=20.19' },
    petasos: { backend: './dist/index.js', name, contract: CONTRACT_VERSION },
    exports: { '.': { types: './dist/index.d.ts', default: './dist/index.js' }, './package.json': './package.json' },
    files: ['dist'],
    scripts: { build: 'tsc', test: 'vitest run --test-timeout=60000', prepack: 'npm run build' },
    dependencies: { valibot: versions.valibot },
    peerDependencies: { '@petasos/core': versions.core },
    devDependencies: {
      '@petasos/core': versions.coreDev,
      '@types/node': versions.types,
      typescript: versions.typescript,
      vitest: versions.vitest,
    },
  };
}
