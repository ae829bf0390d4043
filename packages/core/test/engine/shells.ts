import { spawnSync } from 'node:child_process';

/** The shells that the engine's scripts must be right under. */
export const shells: readonly { readonly name: string; readonly argv: readonly [string, ...string[]] }[] = [
  { name: 'dash', argv: ['dash'] },
  { name: 'bash', argv: ['bash'] },
  { name: 'busybox', argv: ['busybox', 'sh'] },
];

export function runShell(argv: readonly [string, ...string[]], script: string, args: readonly string[] = [], input?: Buffer): Buffer {
  const [program, ...rest] = argv;
  const { stdout, status, stderr } = spawnSync(program, [...rest, '-c', script, 'test', ...args], { input });
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr.toString('utf8')}`);
  return stdout;
}
