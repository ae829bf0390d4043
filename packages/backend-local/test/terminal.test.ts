import local from '@petasos/backend-local';
import { admitAll, open, type Sandbox } from '@petasos/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await open(local, { gate: admitAll() });
});

afterAll(() => sandbox.destroy());

async function written(command: string): Promise<string> {
  const terminal = await sandbox.terminal({ command });
  return Buffer.concat((await terminal.output.toArray()) as Buffer[]).toString('utf8');
}

describe('a terminal of this machine', () => {
  it('shows all that a program wrote, however soon the program was over', async () => {
    for (let round = 0; round < 20; round += 1) {
      const all = await Promise.all([1, 2, 3, 4, 5].map((word) => written(`echo ${word}`)));
      expect(all).toEqual([1, 2, 3, 4, 5].map((word) => `${word}\r\n`));
    }
  });

  it('tells how a program ended, and is over although a child of it still has the terminal', async () => {
    const [killed, left] = await Promise.all([
      sandbox.terminal({ command: 'echo so far; kill -KILL $$' }),
      sandbox.terminal({ command: `trap '' HUP; sleep 20 & echo left; exit 3` }),
    ]);
    for (const terminal of [killed, left]) terminal.output.resume();
    expect(await killed.exited).toMatchObject({ ended: 'signaled', exitCode: null });
    expect(await left.exited).toMatchObject({ ended: 'exited', exitCode: 3 });
  });
});
