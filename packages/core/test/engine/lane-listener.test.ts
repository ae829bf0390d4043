import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { Driver } from '../../src/contract/index.js';
import { LaneRunner } from '../../src/engine/lane/runner.js';
import { randomNonce } from '../../src/engine/random.js';

it('a command whose lane ends while another one is opened to listen gets a lane that lives', async () => {
  const scratch = await mkdtemp(path.join(tmpdir(), 'lane-listener-test-'));
  const ends: (() => Promise<unknown>)[] = [];
  const driver = {
    ref: { backend: 'test', name: 'test', id: randomNonce(), data: {} },
    scratch,
    async spawn({ argv: [program, ...args] }) {
      // The second lane is the one that is to listen: until it is there, the first one ends.
      if (ends.length === 1) await ends[0]?.();
      const child = spawn(program, args, { detached: true, stdio: 'pipe' });
      const exited = new Promise<{ exitCode: number | null; signal: string | null }>((resolve) => {
        child.once('close', (exitCode, signal) => resolve({ exitCode, signal }));
      });
      ends.push(() => {
        child.kill('SIGKILL');
        return exited;
      });
      return { stdin: child.stdin, stdout: child.stdout, stderr: child.stderr, exited, kill: () => void child.kill('SIGKILL') };
    },
  } as Driver;
  const runner = new LaneRunner({ driver, nonce: randomNonce, graceMs: 2_000, silenceSeconds: 60 });
  const first = await runner.run({ program: { kind: 'command', text: ':' }, stdin: 'none', graceMs: 0 });
  await first.ended;
  const running = await runner.run({ program: { kind: 'command', text: 'cat' }, stdin: 'stream', graceMs: 0, timeoutMs: 5_000 });
  running.stdin?.end('heard');
  running.stderr.resume();
  expect(await text(running.stdout)).toBe('heard');
  expect(await running.ended).toMatchObject({ ended: 'exited', exitCode: 0 });
  await runner.close();
  await rm(scratch, { recursive: true, force: true });
});
