import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { collect, type Ran } from './command.js';

/** By path: a package that depended on the CLI would have its command linked, which does not exist before the build. */
const program = fileURLToPath(new URL('../../../packages/cli/bin/petasos.cjs', import.meta.url));

/** Somebody with the built command, and a home directory that holds nothing else. */
export interface PetasosUser {
  readonly home: string;
  /** Writes the configuration file: its text, or what it is to hold. */
  configure(configuration: string | object): Promise<void>;
  run(args: readonly string[], input?: string): Promise<Ran>;
  /** The same in a terminal, where stdout is the screen. */
  type(args: readonly string[], keys: string): Promise<Ran>;
  remove(): Promise<void>;
}

export async function petasosUser(more: Readonly<Record<string, string>> = {}): Promise<PetasosUser> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'petasos-home-')));
  const env = { HOME: home, PATH: process.env.PATH, LANG: 'C.UTF-8', TERM: 'xterm', SHELL: '/bin/sh', ...more };
  return {
    home,
    async configure(configuration) {
      await mkdir(join(home, '.config/petasos'), { recursive: true });
      const text = typeof configuration === 'string' ? configuration : JSON.stringify(configuration);
      await writeFile(join(home, '.config/petasos/config.yaml'), text);
    },
    run: (args, input = '') => start(process.execPath, [program, ...args], input),
    type(args, keys) {
      const line = [process.execPath, program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
      return start('script', ['-qec', line, '/dev/null'], keys);
    },
    remove: () => rm(home, { recursive: true, force: true }),
  };

  function start(file: string, args: readonly string[], input: string): Promise<Ran> {
    return collect(spawn(file, args, { env, cwd: home }), input);
  }
}
