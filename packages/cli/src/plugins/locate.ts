import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import type { Context } from '../session/context.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { findBackend } from './find.js';
import { type BackendPackage, readManifest } from './manifest.js';
import { backendNameShape } from './names.js';
import { origins } from './origins.js';

/**
 * A backend that a person points at on the command line: a directory, a package that is installed here or beside the
 * CLI, or the name of an installed backend. Pointing at it is the permission to run it.
 */
export async function locateBackend(context: Context, config: Config, word: string): Promise<BackendPackage> {
  if (isPath(word)) return read(resolve(context.cwd, word), word);
  for (const directory of packageDirectories(context, config, word)) {
    if (await isDirectory(directory)) return read(directory, word);
  }
  if (backendNameShape.test(word)) return findBackend(context, config, word);
  throw new CliError(`there is no package ${word} here or beside the CLI`, {
    status: exitStatus.usage,
    code: 'backend-not-installed',
    remedy: `Install it, or name its directory, such as ./${word}`,
  });
}

function isPath(word: string): boolean {
  return word.startsWith('.') || isAbsolute(word);
}

/** As Node would look for it from the current directory, then where backends are installed. */
function packageDirectories(context: Context, config: Config, packageName: string): string[] {
  const above: string[] = [];
  for (let directory = context.cwd; ; directory = dirname(directory)) {
    above.push(join(directory, 'node_modules', packageName));
    if (directory === dirname(directory)) break;
  }
  const installed = origins(context, config).filter(({ kind }) => kind !== 'config');
  return [...above, ...installed.flatMap((origin) => origin.located(packageName).map(({ directory }) => directory))];
}

async function read(directory: string, word: string): Promise<BackendPackage> {
  const reading = await readManifest(directory, word, 'config', true);
  if (reading.kind === 'backend') return reading.backend;
  const { reason, remedy } = reading.kind === 'problem' ? reading.problem : { reason: 'it is not a backend', remedy: undefined };
  throw new CliError(`${word} cannot be used: ${reason}`, { status: exitStatus.usage, code: 'backend-unusable', remedy });
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  );
}
