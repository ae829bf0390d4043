import { spawn } from 'node:child_process';

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs a program to its end. Nothing goes through a shell. */
export function run(program: string, args: readonly string[], { cwd, env }: RunOptions): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ status: code ?? 1, stdout, stderr }));
  });
}

/** The same, where anything but success ends the whole. @returns its standard output */
export async function must(program: string, args: readonly string[], options: RunOptions): Promise<string> {
  const { status, stdout, stderr } = await run(program, args, options);
  if (status !== 0) throw new Error(`${[program, ...args].join(' ')} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}
