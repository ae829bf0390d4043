import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Driver } from '../../src/contract/index.js';
import { JobRunner } from '../../src/engine/job/runner.js';
import type { Operator } from '../../src/engine/operator.js';
import { randomNonce } from '../../src/engine/random.js';
import { jobScripts } from '../../src/engine/scripts/index.js';

it('a command that is let go of while it starts has its records removed, and what it wrote is not delivered', async () => {
  let begin = () => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  let removals = 0;
  const operator: Operator = {
    async operate(script) {
      if (script === jobScripts.launch) {
        begin();
        await answered;
        return { exitCode: 0, stdout: Buffer.from('5 0 1\nearly') };
      }
      if (script.includes('rm -rf')) removals += 1;
      return { exitCode: 0, stdout: Buffer.from('/bin/bash\n0\n/root\n/\n') };
    },
  };
  const driver = { ref: { backend: 'test', name: 'test', id: 'test', data: {} } } as unknown as Driver;
  const runner = new JobRunner({ driver, operator, nonce: randomNonce, scratch: async () => '/scratch' });
  const starting = runner.run({ program: { kind: 'command', text: 'echo early' }, stdin: 'none', graceMs: 0 });
  await began;
  await runner.close();
  await expect.poll(() => removals).toBe(1);
  answer();
  const running = await starting;
  expect(await running.ended).toMatchObject({ ended: 'disconnected' });
  // What the start has found would be read by now.
  for (let turn = 0; turn < 3; turn += 1) await nextTurn();
  expect(running.stdout.errored).toBeNull();
  expect(await text(running.stdout)).toBe('');
  await expect.poll(() => removals).toBe(2);
});
