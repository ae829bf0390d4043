import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Running, RunRequest } from '../../src/engine/runner.js';
import { scripts } from '../../src/files/scripts/index.js';
import { childFiles, childRunner, userlands } from './child-runner.js';
import { writeEndless } from './endless-file.js';
import { type Mounted, mounted } from './mounted.js';

describe.each(userlands.map((make) => make()))('faults through $name', (userland) => {
  let top: string;
  let root: string;

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'petasos-faults-'));
    root = join(top, 'place');
    mkdirSync(root);
  });
  let disk: Mounted | undefined;
  afterEach(async () => {
    await disk?.dispose();
    disk = undefined;
    rmSync(top, { recursive: true });
  });
  afterAll(() => userland.dispose());

  describe.runIf(process.platform === 'linux')('on a file system of its own', () => {
    const on = async (options: string) => {
      mkdirSync(join(root, 'disk'));
      disk = await mounted(join(root, 'disk'), options);
      return childFiles(userland, join(root, 'disk'), { runner: childRunner(userland, disk) });
    };

    it('a full one keeps what it had', async () => {
      const files = await on('size=512k');
      await files.write('kept', 'old');
      await files.mkdir('tree');
      const big = Buffer.alloc(1 << 20, 1);
      await expect(files.write('kept', big)).rejects.toMatchObject({ code: 'no-space', operation: 'files.write' });
      await expect(files.write('kept', Readable.from([big, big]))).rejects.toMatchObject({ code: 'no-space' });
      mkdirSync(join(top, 'local'));
      writeFileSync(join(top, 'local', 'small'), 'small');
      writeFileSync(join(top, 'local', 'zbig'), big);
      await expect(files.upload(join(top, 'local'), 'tree')).rejects.toMatchObject({ code: 'no-space', operation: 'files.upload' });
      expect(await files.readText('kept')).toBe('old');
      expect((await files.list('.')).map((entry) => entry.name)).toEqual(['kept', 'tree']);
      expect(await files.list('tree')).toEqual([]);
    });

    it('one without inodes says so', async () => {
      const files = await on('nr_inodes=4');
      for (const name of ['a', 'b', 'c']) await files.write(name, name).catch(() => {});
      await expect(files.write('more', '')).rejects.toMatchObject({ code: 'no-space' });
      await expect(files.mkdir('directory')).rejects.toMatchObject({ code: 'no-space' });
      await expect(files.mkdir('deep/directory')).rejects.toMatchObject({ code: 'no-space' });
    });

    it('a read-only one forbids', async () => {
      const files = await on('ro');
      await expect(files.write('file', '')).rejects.toMatchObject({ code: 'file-permission' });
      await expect(files.mkdir('directory')).rejects.toMatchObject({ code: 'file-permission' });
      await expect(files.upload(top, 'tree', { ignore: ['place'] })).rejects.toMatchObject({ code: 'file-permission' });
    });

    it('a move to another one copies', async () => {
      await on('size=512k');
      const files = childFiles(userland, root, { runner: childRunner(userland, disk) });
      await files.write('here', 'content');
      await files.move('here', 'disk/there');
      expect(await files.readText('disk/there')).toBe('content');
      await files.write('big', Buffer.alloc(1 << 20));
      await expect(files.move('big', 'disk/big')).rejects.toMatchObject({ code: 'no-space' });
      expect((await files.stat('big')).size).toBe(1 << 20);
    });
  });

  /** A runner that hands its runs to the test. */
  const watched = (change: (running: Running) => Running = (running) => running) => {
    const runs: Running[] = [];
    const runner = childRunner(userland);
    const run = async (request: RunRequest) => {
      const running = change(await runner.run(request));
      runs.push(running);
      return running;
    };
    return { files: childFiles(userland, root, { runner: { run } }), runs };
  };

  it('a write that is ended leaves the old content and nothing else', async () => {
    const { files, runs } = watched();
    writeFileSync(join(root, 'file'), 'old');
    const source = new PassThrough();
    const writing = files.write('file', source);
    writing.catch(() => {});
    source.write(Buffer.alloc(300_000));
    await expect.poll(() => readdirSync(root).some((name) => name.startsWith('.petasos'))).toBe(true);
    await runs[0]?.terminate(2_000);
    await expect(writing).rejects.toMatchObject({ code: 'place-failed' });
    expect(readdirSync(root).sort()).toEqual(['file', 'home']);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('old');
  });

  it('input that breaks off is not taken for the whole', async () => {
    writeFileSync(join(root, 'file'), 'old');
    const end = async (text: string, args: string[], stdin: Uint8Array) => {
      const running = await childRunner(userland).run({ program: { kind: 'script', text, args }, stdin, graceMs: 1_000 });
      running.stdout.resume();
      running.stderr.resume();
      return (await running.ended).exitCode;
    };
    const mark = 'f'.repeat(32);
    expect(await end(scripts.write, ['derived', join(root, 'file'), '.petasos-t', '', mark], Buffer.from(`new${mark.slice(1)}`))).toBe(91);
    expect(await end(scripts.write, ['derived', join(root, 'file'), '.petasos-t', '', mark], Buffer.alloc(0))).toBe(91);
    mkdirSync(join(top, 'packed'));
    writeFileSync(join(top, 'packed', 'file'), 'new');
    const archive = execFileSync('tar', ['-cf', '-', '-C', join(top, 'packed'), 'file']);
    expect(await end(scripts.upload, ['derived', root, '.petasos-t', '.petasos-end'], archive)).toBe(91);
    expect(readdirSync(root).sort()).toEqual(['file']);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('old');
  });

  it('a stream that breaks off does not end as if it were whole', async () => {
    const { files, runs } = watched();
    writeFileSync(join(root, 'file'), Buffer.alloc(32 << 20));
    const stream = await files.readStream('file');
    const reading = (async () => {
      let bytes = 0;
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        await runs[0]?.kill('SIGKILL');
      }
      return bytes;
    })();
    await expect(reading).rejects.toMatchObject({ code: 'place-failed', data: { path: 'file' } });
  });

  it('a download whose sender breaks off leaves nothing', async () => {
    mkdirSync(join(root, 'tree'));
    writeEndless(join(root, 'tree', 'file'));
    const { files, runs } = watched();
    const local = join(top, 'local');
    const loading = files.download('tree', local, { onProgress: () => void runs[0]?.kill('SIGKILL') });
    await expect(loading).rejects.toMatchObject({ code: 'place-failed', operation: 'files.download' });
    expect(existsSync(local)).toBe(false);
    expect(readdirSync(top)).toEqual(['place']);
  });

  it.each(['disconnected', 'destroyed'] as const)('a place that is %s is named as such by every operation', async (ended) => {
    const { files } = watched((running) => ({ ...running, ended: running.ended.then(() => ({ ended, exitCode: null, signal: null })) }));
    writeFileSync(join(root, 'file'), 'content');
    const lost = { code: ended, retryable: ended === 'disconnected' };
    await expect(files.read('file')).rejects.toMatchObject(lost);
    await expect(files.write('file', 'x')).rejects.toMatchObject(lost);
    await expect(files.list('.')).rejects.toMatchObject(lost);
    await expect(files.stat('file')).rejects.toMatchObject(lost);
    await expect(files.remove('missing')).rejects.toMatchObject(lost);
    await expect(files.download('.', join(top, 'local'))).rejects.toMatchObject(lost);
    expect(existsSync(join(top, 'local'))).toBe(false);
  });
});
