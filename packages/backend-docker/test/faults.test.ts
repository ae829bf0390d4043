import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { isPetasosError, type Sandbox } from '@petasos/core';
import { type FaultProxy, startFaultProxy } from '@petasos/testbed';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testbed } from './place.js';
import { newName, openDocker } from './sandboxes.js';

/** A line of its own for each test. */
let line: FaultProxy;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'line-'));
  line = await startFaultProxy({ upstream: { path: testbed.socket }, listen: { path: path.join(directory, 'docker.sock') } });
});

afterEach(async () => {
  line.resume();
  line.accept();
  await line.close();
  await rm(directory, { recursive: true });
});

const overLine = (name?: string) => openDocker({ host: `unix://${directory}/docker.sock` }, name === undefined ? {} : { name });

const faults: readonly (readonly [string, () => void])[] = [
  ['cut', () => line.cut()],
  ['stalled', () => line.stall()],
  ['half-closed by the engine', () => line.halfClose('client')],
  ['half-closed by us', () => line.halfClose('upstream')],
];

const heal = () => {
  line.resume();
  line.accept();
};

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const began = performance.now();
  try {
    return await work;
  } finally {
    expect(performance.now() - began).toBeLessThan(ms);
  }
}

describe.each(faults)('a line that is %s', (_name, spoil) => {
  it('in the middle of a command ends it within 5 s, with what it wrote, and the next one works once the line does', async () => {
    const sandbox = await overLine();
    let said = '';
    const running = sandbox.exec('echo part; sleep 90; exit 0', { onStdout: (chunk) => (said += Buffer.from(chunk).toString()) });
    await expect.poll(() => said, { timeout: 10_000 }).toBe('part\n');
    spoil();
    const { ended, exitCode, stdout } = await within(5000, running);
    // Where our words alone are lost, the place takes us for gone, ends the command, and can still say so.
    expect(ended).toMatch(/^(disconnected|signaled)$/);
    expect([exitCode, stdout]).toEqual([null, 'part\n']);
    heal();
    await works(sandbox);
  });

  it('in the middle of a transfer never lets half a file look whole, on either side', async () => {
    const sandbox = await overLine();
    await sandbox.files.write('file', 'old');
    async function* content() {
      yield Buffer.alloc(300_000, 'new');
      spoil();
      yield Buffer.alloc(3_000_000, 'new');
    }
    const size = 3_300_000;
    const writing = await within(
      12_000,
      sandbox.files.write('file', Readable.from(content())).then(
        () => 'whole',
        (error: unknown) => (isPetasosError(error) ? error.code : error),
      ),
    );
    heal();
    const again = await openDocker({}, { name: sandbox.name });
    const after = (await again.files.stat('file')).size;
    expect(writing === 'whole' ? [size] : [3, size]).toContain(after);
    expect(writing).toMatch(/^(whole|disconnected|destroyed|place-failed)$/);
  });
});

/** A command works, or says that the line was lost: a shell that nobody knows to be cut off may take one more. Then they work. */
async function works(sandbox: Sandbox): Promise<void> {
  const { ended, exitCode, stdout } = await sandbox.exec('echo again', { timeoutMs: 10_000 });
  if (ended === 'exited') expect(stdout).toBe('again\n');
  else expect([ended, exitCode]).toEqual(['disconnected', null]);
  expect((await sandbox.exec('echo again', { timeoutMs: 10_000 })).stdout).toBe('again\n');
}

describe('opening over a bad line', () => {
  it.each([1, 400, 2500, 4500])(
    'cut after %i bytes is a typed error or works, and nothing is left that the next open does not find',
    async (bytes) => {
      const name = newName();
      line.cutAfter(bytes);
      const opened = await within(
        10_000,
        overLine(name).then(
          (sandbox) => sandbox.exec('echo alive').then((result) => result.ended),
          (error: unknown) => (isPetasosError(error) ? error.code : String(error)),
        ),
      ).catch((error: unknown) => (isPetasosError(error) ? error.code : String(error)));
      expect(opened).toMatch(/^(exited|disconnected|unavailable|destroyed)$/);
      const next = await openDocker({}, { name });
      expect((await next.exec('echo alive')).stdout).toBe('alive\n');
    },
  );

  it('that is stalled gives up in time and says what does not answer', async () => {
    line.stall();
    const error: unknown = await within(20_000, overLine(newName()).catch((reason: unknown) => reason) as Promise<unknown>);
    expect(error).toMatchObject({ code: expect.stringMatching(/^(unavailable|disconnected)$/), retryable: true });
  });

  it('that is refused says so at once', async () => {
    line.refuse();
    await expect(within(3000, overLine())).rejects.toMatchObject({ code: expect.stringMatching(/^(unavailable|disconnected)$/) });
  });
});

it('a download that is cut leaves no half file here', async () => {
  const sandbox = await overLine();
  await sandbox.exec('mkdir tree && dd if=/dev/zero of=tree/large bs=1048576 count=24 2>/dev/null');
  const target = await mkdtemp(path.join(tmpdir(), 'download-'));
  await writeFile(path.join(target, 'mine'), 'mine');
  line.cutAfter(4_000_000);
  await expect(sandbox.files.download('tree', target)).rejects.toMatchObject({ name: 'PetasosError' });
  expect(await readdir(target)).toEqual(['mine']);
  await sandbox.files.download('tree', target);
  expect((await readdir(target)).sort()).toEqual(['large', 'mine']);
  await rm(target, { recursive: true });
});

it('a slow line changes no byte', async () => {
  const sandbox = await overLine();
  line.delay(60);
  const content = Buffer.alloc(
    2_000_000,
    Uint8Array.from({ length: 251 }, (_, index) => index),
  );
  await sandbox.files.write('file', content);
  const hash = createHash('sha256').update(content).digest('hex');
  expect((await sandbox.exec('sha256sum file')).stdout).toContain(hash);
  expect(
    createHash('sha256')
      .update(await sandbox.files.read('file'))
      .digest('hex'),
  ).toBe(hash);
});
