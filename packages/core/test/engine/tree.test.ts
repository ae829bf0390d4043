import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import tree from '../../src/engine/scripts/tree.sh?raw';
import { runShell, shells } from './shells.js';

const started: number[] = [];

afterEach(() => {
  for (const pid of started.splice(0)) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  }
});

/** Pids that a scan for the cookie below the root finds; nothing is signaled. */
function scan(argv: readonly [string, ...string[]], cookie: string, root: string): number[] {
  const script = `${tree}\npetasos_proc=1\npetasos_scan "$1" "$2"\nprintf '%s' "$petasos_found"`;
  return runShell(argv, script, [cookie, root]).toString('utf8').split(' ').filter(Boolean).map(Number);
}

async function family(cookie: string): Promise<{ readonly pid: number }> {
  const text = 'sleep 30 & (setsid sleep 30 &) ; env -i sleep 30 & echo ready; wait';
  const child = spawn('setsid', ['sh', '-c', text], { env: { ...process.env, PETASOS_EXEC: cookie }, stdio: ['ignore', 'pipe', 'ignore'] });
  const pid = child.pid ?? 0;
  started.push(pid);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return { pid };
}

describe.runIf(process.platform === 'linux').each(shells)('a scan under $name', ({ argv }) => {
  it('finds children, those of another session, orphans and those with an empty environment', async () => {
    const cookie = randomBytes(16).toString('hex');
    const { pid } = await family(cookie);
    const found = scan(argv, cookie, 'none');
    expect(found).toContain(pid);
    expect(found.length).toBe(4);
  });

  it('never takes the machine for a tree: with no root, init or the kernel as root, it finds nothing that the cookie does not mark', () => {
    const cookie = randomBytes(16).toString('hex');
    for (const root of ['none', '', '0', '1']) expect(scan(argv, cookie, root)).toEqual([]);
    for (const root of ['none', '', '0', '1']) expect(scan(argv, '', root)).toEqual([]);
  });

  it('leaves a session alone whose leader lives outside the tree', async () => {
    const cookie = randomBytes(16).toString('hex');
    const text = `env PETASOS_EXEC=${cookie} sleep 30 & sleep 30 & echo ready; wait`;
    const child = spawn('setsid', ['sh', '-c', text], { stdio: ['ignore', 'pipe', 'ignore'] });
    started.push(child.pid ?? 0);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    await expect.poll(() => scan(argv, cookie, 'none').length).toBe(1);
  });

  it('also tells what a tree has started since it was told, before it kills', async () => {
    const cookie = randomBytes(16).toString('hex');
    const late = `sh -c 'trap "echo told; exit" TERM; echo started; while :; do sleep 0.01; done'`;
    const text = `trap ${JSON.stringify(late)} TERM; echo ready; while :; do sleep 0.01; done`;
    const child = spawn('setsid', ['sh', '-c', text], {
      env: { ...process.env, PETASOS_EXEC: cookie },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(child.pid ?? 0);
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said).toBe('ready\n');
    runShell(argv, `${tree}\npetasos_proc=1\npetasos_end "$1" none 1000`, [cookie]);
    await expect.poll(() => said).toBe('ready\nstarted\ntold\n');
    expect(scan(argv, cookie, 'none')).toEqual([]);
  });
});
