import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DriverFiles } from '../../src/contract/index.js';
import type { FilesPlace } from '../../src/files/index.js';
import { childFiles, childRunner } from './child-runner.js';
import { writeEndless } from './endless-file.js';

describe('native powers', () => {
  let top: string;
  let root: string;
  let calls: string[];
  const shell = { name: 'sh', shell: ['/bin/sh'] as const, path: process.env.PATH ?? '', dispose: () => {} };

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'petasos-native-'));
    root = join(top, 'place');
    mkdirSync(join(top, 'local'));
    calls = [];
  });
  afterEach(() => rmSync(top, { recursive: true }));

  /** A driver that moves files itself, as one of a remote API does. */
  const native: DriverFiles = {
    read: async (path, { offset, length }) => {
      calls.push(`read ${offset} ${length}`);
      return createReadStream(path, { start: offset, ...(length === undefined ? {} : { end: offset + length - 1 }) });
    },
    write: async (path, content, mode) => {
      calls.push(`write ${mode.toString(8)} ${existsSync(path)}`);
      await pipeline(content, createWriteStream(path, { mode, flags: 'wx' }));
    },
    uploadTar: async (path, archive) => {
      calls.push('uploadTar');
      const tar = spawn('tar', ['-xpf', '-', '-C', path], { stdio: ['pipe', 'ignore', 'ignore'] });
      await pipeline(archive, tar.stdin);
      await once(tar, 'close');
    },
    downloadTar: async (path) => {
      calls.push('downloadTar');
      return spawn('tar', ['-cf', '-', '-C', path, '.'], { stdio: ['ignore', 'pipe', 'ignore'] }).stdout;
    },
  };

  const long = 'content'.padEnd(300_000, '.');

  it('are not troubled for a content that fits into the request', async () => {
    const files = childFiles(shell, root, { driverFiles: native });
    await files.write('small', 'content');
    expect(readFileSync(join(root, 'small'), 'utf8')).toBe('content');
    expect(calls).toEqual([]);
  });

  it('take the place of the derived path', async () => {
    const files = childFiles(shell, root, { driverFiles: native });
    await files.write('sub/file', long, { mode: 0o640 });
    expect(await files.readText('sub/file')).toBe(long);
    expect(Buffer.from(await files.read('sub/file', { offset: 3, length: 2 })).toString()).toBe('te');
    expect(statSync(join(root, 'sub', 'file')).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(root, 'sub'))).toEqual(['file']);
    writeFileSync(join(top, 'local', 'a'), 'a', { mode: 0o751 });
    const up = await files.upload(join(top, 'local'), 'tree');
    expect(readdirSync(join(root, 'tree'))).toEqual(['a']);
    expect(statSync(join(root, 'tree', 'a'))).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
    expect(await files.download('tree', join(top, 'back'))).toEqual(up);
    expect(readFileSync(join(top, 'back', 'a'), 'utf8')).toBe('a');
    expect(calls).toEqual(['write 600 false', 'read 0 undefined', 'read 3 2', 'uploadTar', 'downloadTar']);
  });

  it('are asked for each time where only a look tells what there is', async () => {
    let present = false;
    const files = childFiles(shell, root, { driverFiles: async () => (present ? native : undefined) });
    await files.write('file', `derived ${long}`);
    present = true;
    await files.write('file', `native ${long}`);
    expect(await files.readText('file')).toBe(`native ${long}`);
    expect(calls).toEqual(['write 600 false', 'read 0 undefined']);
  });

  it('give the same errors', async () => {
    const files = childFiles(shell, root, { driverFiles: native });
    mkdirSync(join(root, 'directory'));
    writeFileSync(join(root, 'file'), '');
    await expect(files.write('directory', '')).rejects.toMatchObject({ code: 'file-is-directory' });
    await expect(files.write('file/x', '')).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.upload(join(top, 'missing'), 'tree')).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(files.upload(join(top, 'local'), 'file')).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.download('missing', join(top, 'back'))).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(files.read('nul\0')).rejects.toMatchObject({ code: 'invalid-request' });
    expect(readdirSync(top).sort()).toEqual(['local', 'place']);
  });

  it('leave nothing when they fail half-way', async () => {
    const broken = new Error('the API broke');
    const files = childFiles(shell, root, {
      driverFiles: {
        write: async (path) => {
          writeFileSync(path, 'half');
          throw broken;
        },
        uploadTar: async (path) => {
          writeFileSync(join(path, 'half'), '');
          throw broken;
        },
        downloadTar: async () =>
          Readable.from(
            (async function* () {
              yield Buffer.alloc(10);
              throw broken;
            })(),
          ),
      },
    });
    writeFileSync(join(root, 'file'), 'old');
    mkdirSync(join(root, 'tree'));
    await expect(files.write('file', long)).rejects.toBe(broken);
    await expect(files.upload(join(top, 'local'), 'tree')).rejects.toBe(broken);
    await expect(files.download('.', join(top, 'back'))).rejects.toBe(broken);
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('old');
    expect(readdirSync(root).sort()).toEqual(['file', 'home', 'tree']);
    expect(readdirSync(join(root, 'tree'))).toEqual([]);
    expect(readdirSync(top).sort()).toEqual(['local', 'place']);
  });

  it('stop when the caller aborts', async () => {
    const files = childFiles(shell, root, { driverFiles: native });
    writeEndless(join(top, 'local', 'big'));
    const upload = new AbortController();
    const up = files.upload(join(top, 'local'), 'tree', { signal: upload.signal, onProgress: () => upload.abort() });
    await expect(up).rejects.toMatchObject({ code: 'aborted' });
    expect(readdirSync(join(root, 'tree'))).toEqual([]);
    mkdirSync(join(root, 'source'));
    writeEndless(join(root, 'source', 'big'));
    const download = new AbortController();
    const down = files.download('source', join(top, 'back'), { signal: download.signal, onProgress: () => download.abort() });
    await expect(down).rejects.toMatchObject({ code: 'aborted' });
    expect(readdirSync(top).sort()).toEqual(['local', 'place']);
  });

  it('wake the place first', async () => {
    const files = childFiles(shell, root, { driverFiles: native, wake: async () => void calls.push('wake') });
    await files.write('file', '');
    await files.list('.');
    expect(calls.filter((call) => call === 'wake')).toHaveLength(2);
    expect(calls[0]).toBe('wake');
  });

  describe('when the place is let go of', () => {
    let ending: AbortController;
    /** Takes what is to be put in order, and nothing else. */
    let last: string[];

    const held = (driverFiles: DriverFiles) => {
      const runner = childRunner(shell);
      const closed: FilesPlace['runner'] = {
        run: (request) => (ending.signal.aborted ? Promise.reject(new Error('closed')) : runner.run(request)),
      };
      const lastRunner: FilesPlace['runner'] = {
        run: (request) => {
          last.push(request.program.kind === 'script' ? String(request.program.args[0]) : 'a command');
          return runner.run(request);
        },
      };
      return childFiles(shell, root, { runner: closed, driverFiles, hold: (transfer) => transfer(ending.signal, lastRunner) });
    };

    /** What never comes, after what does. */
    async function* unending(first: Buffer, then: () => void): AsyncGenerator<Buffer> {
      yield first;
      then();
      await new Promise<never>(() => {});
    }

    beforeEach(() => {
      ending = new AbortController();
      last = [];
    });

    it('a write fails although its content does not go on, and what it wrote goes', async () => {
      const files = held(native);
      writeFileSync(join(root, 'file'), 'old');
      const content = Readable.from(
        unending(Buffer.from(long), () => ending.abort()),
        { objectMode: false },
      );
      await expect(files.write('file', content)).rejects.toMatchObject({ name: 'AbortError' });
      expect(readFileSync(join(root, 'file'), 'utf8')).toBe('old');
      expect(readdirSync(root).sort()).toEqual(['file', 'home']);
      expect([calls, last]).toEqual([['write 600 false'], ['discard']]);
    });

    it('an upload fails, and what it unpacked goes', async () => {
      const files = held(native);
      writeEndless(join(top, 'local', 'big'));
      await expect(files.upload(join(top, 'local'), 'tree', { onProgress: () => ending.abort() })).rejects.toMatchObject({
        name: 'AbortError',
      });
      expect(readdirSync(join(root, 'tree'))).toEqual([]);
      expect(last).toEqual(['discard']);
    });

    it('an upload that has only prepared its directory takes it away again', async () => {
      const files = held({
        uploadTar: async () => {
          ending.abort();
        },
      });
      await expect(files.upload(join(top, 'local'), 'tree')).rejects.toThrow('closed');
      expect(readdirSync(join(root, 'tree'))).toEqual([]);
    });

    it('a file that is being read fails although the driver says nothing more', async () => {
      const files = held({
        read: async () =>
          Readable.from(
            unending(Buffer.from('first'), () => {}),
            { objectMode: false },
          ),
      });
      const stream = await files.readStream('file');
      const reading = (async () => {
        for await (const chunk of stream) {
          expect(String(chunk)).toBe('first');
          ending.abort();
        }
      })();
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    });

    it('a tree that is being fetched leaves nothing here', async () => {
      const files = held({ ...native, downloadTar: async () => Readable.from(unending(Buffer.alloc(0), () => ending.abort())) });
      await expect(files.download('.', join(top, 'back'))).rejects.toMatchObject({ name: 'AbortError' });
      expect(readdirSync(top).sort()).toEqual(['local', 'place']);
    });
  });
});
