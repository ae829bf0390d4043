import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** By path: a package that depended on the CLI would have its command linked, which does not exist before the build. */
const program = fileURLToPath(new URL('../../../packages/cli/bin/petasos.cjs', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
    const child = spawn(file, args, { env, cwd: home });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // Whoever reads nothing may be gone before everything is written.
    child.stdin.once('error', () => {}).end(input);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status) => resolve({ status, stdout, stderr }));
    });
  }
}
