import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Options } from 'tsup';

/** What every published library is built as: modules for Node 20, with types. */
export const library: Options = {
  format: ['esm'],
  dts: true,
  sourcemap: true,
  clean: true,
  target: 'node20',
  esbuildOptions(options) {
    // Names stay readable in stack traces; comments and blanks would be read at every start of a program.
    options.minifyWhitespace = true;
    options.minifySyntax = true;
  },
};

/** Lets a source import a file as text: `import script from './run.sh?raw'`. */
export const rawText: NonNullable<Options['esbuildPlugins']>[number] = {
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
};

/** Puts the licence of a package that is built in beside what it is built into. */
export async function keepLicense(name: string, file = 'LICENSE'): Promise<void> {
  await mkdir('dist/licenses', { recursive: true });
  await copyFile(`node_modules/${name}/${file}`, `dist/licenses/${name}.txt`);
}

/** The build of a backend. `external` names the packages that it loads when they are used. */
export function backendBuild({ entry = { index: 'src/index.ts' }, external = [] }: Pick<Options, 'entry' | 'external'> = {}): Options {
  return {
    ...library,
    entry,
    external,
    // Of the schema library's 200 KB the options use a tenth; whole, it would be the slowest part of a start.
    noExternal: ['valibot'],
    esbuildPlugins: [rawText],
    onSuccess: () => keepLicense('valibot', 'LICENSE.md'),
  };
}
