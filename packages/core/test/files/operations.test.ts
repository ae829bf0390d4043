import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PetasosErrorCode } from '../../src/contract/index.js';
import type { Files } from '../../src/files/index.js';
import { childFiles, userlands } from './child-runner.js';

/** Names that break whatever puts a name into shell text, or reads names line by line. */
const oddNames = [
  'plain.txt',
  'with space',
  ' leading and trailing ',
  'tab\there',
  'new\nline',
  'ends in newline\n',
  '\n',
  "it's",
  '"quoted"',
  '$(touch pwned)',
  '`touch pwned`',
  '$HOME',
  '-rf',
  '--help',
  '*',
  '?',
  '[a-z]',
  'back\\slash',
  'back\\nslash',
  'semi;colon&&amp',
  '!bang',
  '#hash',
  '~',
  '~root',
  '.hidden',
  '..two',
  '...',
  'ünïcødé',
  '日本語',
  '🜁',
  'e\u0301',
  '\u0001\u007f',
  '81a4 0 1 fake',
  'x'.repeat(255),
];

describe.each(userlands.map((make) => make()))('files through $name', (userland) => {
  let root: string;
  let files: Files;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'petasos-files-'));
    files = childFiles(userland, root);
  });
  afterEach(() => rmSync(root, { recursive: true }));
  afterAll(() => userland.dispose());

  const fails = async (code: PetasosErrorCode, action: Promise<unknown>) => {
    await expect(action).rejects.toMatchObject({ name: 'PetasosError', code, backend: 'child' });
  };
  const leftovers = () => readdirSync(root).filter((name) => name.startsWith('.petasos'));

  it('keeps every byte', async () => {
    const bytes = Buffer.concat([
      Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)),
      randomBytes(300_000),
      Buffer.from('no newline'),
    ]);
    await files.write('bytes', bytes);
    expect(Buffer.from(await files.read('bytes')).equals(bytes)).toBe(true);
    await files.write('bytes', '');
    expect(await files.read('bytes')).toHaveLength(0);
    await files.write('text', 'a\r\nb\0ü\n\n');
    expect(await files.readText('text')).toBe('a\r\nb\0ü\n\n');
  });

  it.each(oddNames)('takes the name %j', async (name) => {
    await files.write(name.startsWith('~') ? `./${name}` : name, `in ${name}`);
    const addressed = join(root, name);
    expect(readFileSync(addressed, 'utf8')).toBe(`in ${name}`);
    expect(await files.readText(addressed)).toBe(`in ${name}`);
    expect(await files.stat(addressed)).toMatchObject({ name, path: addressed, kind: 'file', size: Buffer.byteLength(`in ${name}`) });
    await files.mkdir(join(root, 'dir', name));
    await files.move(addressed, join(root, 'dir', name, name));
    symlinkSync(name, join(root, 'dir', name, 'link'));
    const listed = await files.list(join(root, 'dir', name));
    expect(listed.map((entry) => entry.name).sort()).toEqual([name, 'link'].sort());
    expect(listed.find((entry) => entry.name === 'link')).toMatchObject({ kind: 'symlink', target: name });
    await files.remove(join(root, 'dir', name), { recursive: true });
    expect(readdirSync(root).sort()).toEqual(['dir', 'home']);
    expect(readdirSync(join(root, 'dir'))).toEqual([]);
  });

  it('reads ranges', async () => {
    writeFileSync(join(root, 'digits'), '0123456789');
    const range = async (offset?: number, length?: number) => Buffer.from(await files.read('digits', { offset, length })).toString();
    expect(await range()).toBe('0123456789');
    expect(await range(0, 3)).toBe('012');
    expect(await range(4)).toBe('456789');
    expect(await range(4, 2)).toBe('45');
    expect(await range(8, 100)).toBe('89');
    expect(await range(10)).toBe('');
    expect(await range(1_000, 5)).toBe('');
    expect(await range(3, 0)).toBe('');
    await fails('invalid-request', files.read('digits', { offset: -1 }));
    await fails('invalid-request', files.read('digits', { length: 1.5 }));
  });

  it('streams both ways', async () => {
    const block = randomBytes(1 << 20);
    const sent = createHash('sha256');
    const blocks = function* () {
      for (let index = 0; index < 16; index += 1) {
        sent.update(block);
        yield block;
      }
    };
    await files.write('deep/er/stream', Readable.from(blocks(), { objectMode: false }));
    const received = createHash('sha256');
    for await (const chunk of await files.readStream('deep/er/stream')) received.update(chunk);
    expect(received.digest('hex')).toBe(sent.digest('hex'));
    expect(leftovers()).toEqual([]);
  });

  it('lets go of a stream that its reader leaves', async () => {
    await files.write('big', randomBytes(4 << 20));
    const stream = await files.readStream('big');
    for await (const chunk of stream) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    expect(stream.destroyed).toBe(true);
  });

  it('keeps the mode, sets a new one, and starts with 0644', async () => {
    const mode = () => statSync(join(root, 'file')).mode & 0o7777;
    await files.write('file', '1');
    expect(mode()).toBe(0o644);
    chmodSync(join(root, 'file'), 0o751);
    await files.write('file', '2');
    expect(mode()).toBe(0o751);
    await files.write('file', '3', { mode: 0o600 });
    expect(mode()).toBe(0o600);
    await files.mkdir('private', { mode: 0o700 });
    expect(statSync(join(root, 'private')).mode & 0o7777).toBe(0o700);
    await fails('invalid-request', files.write('file', '4', { mode: 0o10000 }));
    expect(readFileSync(join(root, 'file'), 'utf8')).toBe('3');
  });

  it('writes through a symlink', async () => {
    mkdirSync(join(root, 'real'));
    symlinkSync('real/target\n', join(root, 'one'));
    symlinkSync(join(root, 'one'), join(root, 'two'));
    await files.write('two', 'through');
    expect(lstatSync(join(root, 'two')).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(root, 'real', 'target\n'), 'utf8')).toBe('through');
    symlinkSync('circle', join(root, 'circle'));
    await fails('invalid-request', files.write('circle', ''));
  });

  it('keeps the old content when the source fails', async () => {
    await files.write('file', 'old');
    const failing = async function* () {
      yield Buffer.from('new'.repeat(100_000));
      throw new Error('source broke');
    };
    await expect(files.write('file', Readable.from(failing()))).rejects.toThrow('source broke');
    expect(await files.readText('file')).toBe('old');
    expect(leftovers()).toEqual([]);
  });

  it('lists everything but . and ..', async () => {
    expect(await files.list('home')).toEqual([]);
    mkdirSync(join(root, 'home', 'sub'), { mode: 0o750 });
    writeFileSync(join(root, 'home', '.dot'), '12345', { mode: 0o640 });
    symlinkSync('/no/where', join(root, 'home', 'dangling'));
    symlinkSync('sub\n\n', join(root, 'home', 'newlines'));
    utimesSync(join(root, 'home', '.dot'), 1_000_000_000, 1_000_000_000);
    const listed = await files.list('~');
    expect(listed.map(({ name, kind, target }) => ({ name, kind, target }))).toEqual([
      { name: '.dot', kind: 'file', target: undefined },
      { name: 'dangling', kind: 'symlink', target: '/no/where' },
      { name: 'newlines', kind: 'symlink', target: 'sub\n\n' },
      { name: 'sub', kind: 'directory', target: undefined },
    ]);
    expect(listed[0]).toMatchObject({ path: join(root, 'home', '.dot'), size: 5, mode: 0o640, modifiedAt: new Date(1_000_000_000_000) });
    expect(listed[3]).toMatchObject({ mode: 0o750 });
  });

  it('lists a directory that holds more names than one program takes', async () => {
    mkdirSync(join(root, 'many'));
    const names = Array.from({ length: 3_000 }, (_, index) => `${index}`.padStart(5, '0'));
    for (const name of names) writeFileSync(join(root, 'many', name), name);
    const listed = await files.list('many');
    expect(listed.map((entry) => entry.name)).toEqual(names);
    expect(listed.every((entry) => entry.size === 5)).toBe(true);
  });

  it('describes the root, a device and a path with dots', async () => {
    expect(await files.stat('/')).toMatchObject({ name: '', path: '/', kind: 'directory' });
    expect(await files.stat('/dev/null')).toMatchObject({ kind: 'other', size: 0 });
    expect(await files.stat('home/..')).toMatchObject({ kind: 'directory' });
    expect(await files.stat('~')).toMatchObject({ path: join(root, 'home'), kind: 'directory' });
  });

  it('removes and moves', async () => {
    await files.write('a', 'a');
    await files.write('b', 'b');
    await files.move('a', 'b');
    expect(await files.readText('b')).toBe('a');
    await files.move('b', 'new/parent/b');
    await files.move('new', 'renamed');
    expect(await files.readText('renamed/parent/b')).toBe('a');
    await fails('file-is-directory', files.remove('renamed'));
    symlinkSync('renamed', join(root, 'link'));
    await files.remove('link');
    expect(existsSync(join(root, 'renamed', 'parent', 'b'))).toBe(true);
    await files.remove('renamed', { recursive: true });
    await fails('file-not-found', files.remove('renamed', { recursive: true }));
    await fails('invalid-request', files.remove('/', { recursive: true }));
    await fails('invalid-request', files.remove('home/..', { recursive: true }));
    expect(readdirSync(root)).toEqual(['home']);
  });

  it('says what is wrong by code', async () => {
    mkdirSync(join(root, 'dir'));
    writeFileSync(join(root, 'file'), '');
    await fails('file-not-found', files.read('missing'));
    await fails('file-not-found', files.read('missing/deeper'));
    await fails('file-not-found', files.stat('missing'));
    await fails('file-not-found', files.list('missing'));
    await fails('file-not-found', files.move('missing', 'x'));
    await fails('file-is-directory', files.read('dir'));
    await fails('file-is-directory', files.write('dir', ''));
    await fails('file-is-directory', files.write('new/', ''));
    await fails('file-not-directory', files.list('file'));
    await fails('file-not-directory', files.read('file/x'));
    await fails('file-not-directory', files.stat('file/x'));
    await fails('file-not-directory', files.write('file/x', ''));
    await fails('file-not-directory', files.mkdir('file/x'));
    await fails('file-exists', files.mkdir('file'));
    await fails('file-exists', files.move('file', 'dir'));
    await fails('file-exists', files.move('dir', 'file'));
    await fails('invalid-request', files.move('dir', 'dir/inside'));
    await fails('invalid-request', files.write('/dev/null', ''));
    await fails('invalid-request', files.write('x'.repeat(256), ''));
    await fails('invalid-request', files.mkdir('x'.repeat(256)));
    await fails('invalid-request', files.read('nul\0'));
    await fails('invalid-request', files.read(''));
    await fails('invalid-request', files.read('\ud800'));
    await files.mkdir('dir');
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it('carries the path and the operation in its errors', async () => {
    await expect(files.read('a "b"')).rejects.toMatchObject({
      operation: 'files.read',
      data: { path: 'a "b"' },
      message: '"a \\"b\\"" does not exist',
    });
  });
});
