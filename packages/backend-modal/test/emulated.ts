import modal from '@petasos/backend-modal';
import { admitAll, type OpenOptions, open, type Sandbox } from '@petasos/core';
import { type RemoteEmulator, spawnEmulator } from '@petasos/emulators';
import { afterAll, afterEach, beforeAll } from 'vitest';

/** An emulator for one file of tests; faults and the log are cleared, and sandboxes destroyed, after each test. */
export function emulated(): {
  readonly emulator: RemoteEmulator;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  open(options?: OpenOptions): Promise<Sandbox>;
} {
  let emulator: RemoteEmulator | undefined;
  let opened: Sandbox[] = [];
  const started = () => {
    if (emulator === undefined) throw new Error('the emulator is started before the tests');
    return emulator;
  };
  const hostEnv = () => ({ PATH: process.env.PATH, HOME: '/nonexistent', ...started().env });
  beforeAll(async () => {
    emulator = await spawnEmulator('modal');
  });
  afterEach(async () => {
    await started().clearFaults();
    await Promise.all(opened.map((sandbox) => sandbox.destroy()));
    opened = [];
    await started().clearRequests();
  });
  afterAll(() => emulator?.close());
  return {
    get emulator() {
      return started();
    },
    get hostEnv() {
      return hostEnv();
    },
    async open(options = {}) {
      const sandbox = await open(modal, { hostEnv: hostEnv(), gate: admitAll(), ...options });
      opened.push(sandbox);
      return sandbox;
    },
  };
}
