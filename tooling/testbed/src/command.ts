import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { resolve as resolvePath } from 'node:path';

/** Where system programs live; an ordinary user's PATH often lacks the last two. */
const searchPath = [...(process.env.PATH ?? '').split(':'), '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Absolute path of a program (given by name or by an absolute path), or undefined where it is not installed. */
export function findProgram(name: string): string | undefined {
  for (const directory of searchPath) {
    const candidate = resolvePath(directory, name);
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // The next directory may have it.
    }
  }
  return undefined;
}

export function requireProgram(name: string): string {
  const found = findProgram(name);
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Gives a program its input and waits for its end; rejects where it could not be started. */
export function collect(child: ChildProcessWithoutNullStreams, input: string): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // Whoever reads nothing may be gone before everything is written.
  child.stdin.on('error', () => {}).end(input);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
}

/** Runs a program to its end without a shell and resolves with its stdout. Rejects with its stderr when it fails. */
export async function command(
  program: string,
  args: readonly string[],
  options: { readonly input?: string; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<string> {
  const child = spawn(requireProgram(program), args, {
    env: { ...process.env, PATH: searchPath.join(':'), ...options.env },
    cwd: options.cwd,
  });
  const { status, stdout, stderr } = await collect(child, options.input ?? '');
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with status ${status}: ${stderr.trim() || stdout.trim()}`);
}
