import vercel from '@petasos/backend-vercel';
import { admitAll, type OpenOptions, open, type Sandbox } from '@petasos/core';
import { type RemoteEmulator, spawnEmulator } from '@petasos/emulators';
import { afterAll, beforeAll, beforeEach } from 'vitest';

/** An emulated account for one test file, and the environment that leads to it. */
export interface Account {
  readonly emulator: RemoteEmulator;
  readonly hostEnv: Record<string, string | undefined>;
  open(options?: Omit<OpenOptions, 'hostEnv' | 'gate'>): Promise<Sandbox>;
  /** Requests whose name matches, without what only asks how things stand. */
  sent(pattern: string): Promise<readonly string[]>;
}

export function emulatedAccount(knobs: Readonly<Record<string, unknown>> = {}): () => Account {
  let account: Account | undefined;
  beforeAll(async () => {
    const emulator = await spawnEmulator('vercel', knobs);
    const hostEnv = { PATH: process.env.PATH, HOME: '/nonexistent', ...emulator.env };
    account = {
      emulator,
      hostEnv,
      open: (options) => open(vercel, { ...options, hostEnv, gate: admitAll() }),
      sent: async (pattern) => (await emulator.requests(pattern)).map(({ name }) => name),
    };
  });
  beforeEach(async () => {
    await account?.emulator.clearFaults();
    await account?.emulator.clearRequests();
  });
  afterAll(() => account?.emulator.close());
  return () => {
    if (account === undefined) throw new Error('the emulator has not started');
    return account;
  };
}

export const commandRequest = '^POST .*/cmd$';
