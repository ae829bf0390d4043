import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { importImage, startDockerEngine, type Engine as TestEngine } from '@petasos/testbed';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testbed } from './place.js';
import { newName, openDocker } from './sandboxes.js';

/** An engine of its own, which may be ended. */
let directory: string;
let own: TestEngine;
const image = 'restart/busybox:latest';

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'engine-'));
  own = await startDockerEngine({ directory, bridge: false });
  await importImage(own.socket, testbed.tars.busybox, image);
});

afterAll(async () => {
  await own.stop();
  await rm(directory, { recursive: true, force: true });
});

it('a command under which the engine ends is over within 5 s; the next open finds the sandbox again with its files', async () => {
  const name = newName();
  const options = { host: `unix://${own.socket}`, image, network: false } as const;
  const sandbox = await openDocker(options, { name });
  await sandbox.files.write('kept', 'kept');
  let ready = false;
  const running = sandbox.exec('echo ready; sleep 90', {
    onStdout: () => {
      ready = true;
    },
  });
  await expect.poll(() => ready, { timeout: 10_000 }).toBe(true);

  const [daemon] = own.processes;
  if (daemon === undefined) throw new Error('the engine has no process');
  process.kill(daemon.pid, 'SIGTERM');
  const began = performance.now();
  const { ended, exitCode } = await running;
  expect(ended).toMatch(/^(destroyed|disconnected)$/);
  expect(exitCode).toBeNull();
  expect(performance.now() - began).toBeLessThan(5000);
  await expect(sandbox.exec('true')).rejects.toMatchObject({ code: expect.stringMatching(/^(unavailable|disconnected|destroyed)$/) });
  await sandbox.close();

  await expect.poll(() => isGone(daemon.pid), { timeout: 20_000 }).toBe(true);
  own = await startDockerEngine({ directory, bridge: false });
  const again = await openDocker(options, { name });
  expect([again.origin, again.id]).toEqual(['attached', sandbox.id]);
  expect(await again.files.readText('kept')).toBe('kept');
  await again.destroy();
});

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
