import { fork } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Emulator, openSandbox, startEmulator } from './place.js';

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
});

afterAll(() => emulator.close());

it('a client is killed in the middle of a command; a new process finds its whole output and its status', async () => {
  const loader = (module: string) => ['--import', pathToFileURL(createRequire(import.meta.url).resolve(module)).href];
  const text = fileURLToPath(new URL('../../../tooling/testbed/src/client/raw-text.mjs', import.meta.url));
  const client = fork(fileURLToPath(new URL('lost-client.ts', import.meta.url)), {
    execArgv: [...loader('tsx'), '--import', pathToFileURL(text).href],
    env: {
      ...process.env,
      ...emulator.env,
      TSX_DISABLE_CACHE: '1',
      TSX_TSCONFIG_PATH: fileURLToPath(new URL('../../../tsconfig.sources.json', import.meta.url)),
    },
  });
  const id = await new Promise<string>((resolve, reject) => {
    client.once('message', (message) => resolve(String(message)));
    client.once('exit', (code) => reject(new Error(`the client ended with status ${code}`)));
  });
  client.removeAllListeners('exit');
  client.kill('SIGKILL');
  const sandbox = await openSandbox(emulator, {}, { name: 'lost' });
  expect(sandbox.origin).toBe('attached');
  expect((await sandbox.jobs.get(id)).state).toBe('running');
  await sandbox.files.write('/tmp/go', '');
  const end = await sandbox.jobs.wait(id);
  expect([end.state, end.exitCode]).toEqual(['exited', 7]);
  const { bytes } = await sandbox.jobs.output(id, { from: 0 });
  expect(Buffer.from(bytes).toString()).toBe(Array.from({ length: 2000 }, (_, i) => `${i + 1}\n`).join(''));
  await sandbox.destroy();
});
