import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TransferOptions } from '../../src/files/index.js';
import { applets, childFiles } from './child-runner.js';
import { type CraftedEntry, craft, longName, pax } from './craft-archive.js';

const link = (name: string, target: string): CraftedEntry => ({ name, target, flag: '2' });
const hardLink = (name: string, target: string): CraftedEntry => ({ name, target, flag: '1' });
const directory = (name: string): CraftedEntry => ({ name, flag: '5', mode: 0o755 });
const file = (name: string, content = 'harm'): CraftedEntry => ({ name, content });

/** What is tried, the archive, and the entry that the refusal names. */
const hostile: readonly (readonly [what: string, archive: Buffer, entry: string])[] = [
  ['a name that climbs', craft([file('../outside/x')]), '../outside/x'],
  ['a name that climbs later', craft([file('a/b/../../../outside/x')]), 'a/b/../../../outside/x'],
  ['a name that ends in ..', craft([directory('a/..')]), 'a/..'],
  ['a name of .. alone', craft([directory('..')]), '..'],
  ['an absolute name', craft([file('/tmp/petasos-harm')]), '/tmp/petasos-harm'],
  ['a long name that climbs', craft([longName('../outside/x'), file('harmless')]), '../outside/x'],
  ['a pax name that climbs', craft([pax({ path: '../outside/x' }), file('harmless')]), '../outside/x'],
  ['a pax name that is absolute', craft([pax({ path: '/outside/x' }), file('harmless')]), '/outside/x'],
  ['a pax name with NUL', craft([pax({ path: 'a\0b' }), file('harmless')]), 'a\0b'],
  ['no name', craft([file('')]), ''],
  ['a file in the place of the tree', craft([file('./')]), './'],
  ['a link in the place of the tree', craft([link('.', '../outside')]), '.'],
  ['a name of 5000 bytes', craft([longName('n/'.repeat(2_500)), file('harmless')]), 'n/'.repeat(2_500).slice(0, 255)],
  ['a part of 256 bytes', craft([longName('n'.repeat(256)), file('harmless')]), 'n'.repeat(255)],
  ['a file through a link out', craft([link('d', '../outside'), file('d/x')]), 'd'],
  ['a file through an absolute link', craft([link('d', '/tmp'), file('d/petasos-harm')]), 'd'],
  ['a file through a link that stays inside', craft([directory('real'), link('d', 'real'), file('d/x')]), 'd/x'],
  ['a file through a chain of links', craft([directory('a'), link('a/up', '..'), link('top', 'a/up'), file('top/x')]), 'top/x'],
  ['a directory through a link', craft([link('d', 'e'), directory('d/x')]), 'd/x'],
  ['a link that climbs out', craft([directory('a'), link('a/l', '../../outside')]), 'a/l'],
  ['a link out that a harmless one hides', craft([directory('p'), link('p/d', '..'), link('e', 'p/d/../outside')]), 'e'],
  ['a long target that climbs', craft([longName(`${'x/'.repeat(60)}../../..`, 'K'), link('l', 'harmless')]), 'l'],
  ['a pax target that climbs', craft([pax({ linkpath: '../outside' }), link('l', 'harmless')]), 'l'],
  ['a link without a target', craft([link('l', '')]), 'l'],
  ['a directory that becomes a link', craft([directory('d'), link('d', 'e'), file('d/x')]), 'd'],
  ['a link that becomes a directory', craft([link('d', 'e'), directory('d'), file('d/x')]), 'd'],
  ['a link that becomes a file', craft([link('d', 'e'), file('d')]), 'd'],
  ['a file that becomes a link', craft([file('d'), link('d', 'e')]), 'd'],
  ['a file twice', craft([file('a'), file('./a', 'other')]), 'a'],
  ['a directory twice', craft([directory('a'), directory('a//')]), 'a'],
  ['a file in a file', craft([file('a'), file('a/b')]), 'a/b'],
  ['a hard link out', craft([hardLink('h', '../outside/kept')]), 'h'],
  ['an absolute hard link', craft([hardLink('h', '/etc/passwd')]), 'h'],
  ['a hard link to nothing', craft([hardLink('h', 'missing')]), 'h'],
  ['a hard link to a link', craft([link('l', 'x'), hardLink('h', 'l')]), 'h'],
  ['a hard link through a link', craft([directory('d'), file('d/f'), link('l', 'd'), hardLink('h', 'l/f')]), 'h'],
  ['a hard link to a directory', craft([directory('d'), hardLink('h', 'd')]), 'h'],
  ['a character device', craft([{ name: 'null', flag: '3' }]), 'null'],
  ['a block device', craft([{ name: 'disk', flag: '4' }]), 'disk'],
  ['a pipe', craft([{ name: 'pipe', flag: '6' }]), 'pipe'],
  ['a sparse file', craft([{ name: 'sparse', flag: 'S' }]), 'sparse'],
  ['a sparse file in pax', craft([pax({ 'GNU.sparse.major': '1' }), file('sparse')]), 'sparse'],
  ['an unknown type', craft([{ name: 'what', flag: 'Z' }]), 'what'],
  ['a size beyond numbers', craft([{ ...file('big'), size: `\x80${'\0'.repeat(3)}${'\x7f'.repeat(8)}` }]), 'big'],
  ['a negative size', craft([{ ...file('big'), size: '\xff'.repeat(12) }]), 'big'],
  ['a size that is no number', craft([{ ...file('big'), size: 'lots and lot' }]), 'big'],
  ['a pax size that is no number', craft([pax({ size: '-1' }), file('big')]), 'big'],
  ['a wrong sum', craft([file('first'), { ...file('second'), brokenSum: true }]), 'first'],
  ['something else than an archive', Buffer.alloc(4_096, 'not an archive '), ''],
  ['a huge record before an entry', craft([{ name: 'r', flag: 'x', size: 2 ** 32 }]), ''],
  ['a damaged pax record', craft([{ name: 'r', flag: 'x', content: '-9 path=../x\n' }, file('f')]), ''],
  ['a pax record that claims more than there is', craft([{ name: 'r', flag: 'x', content: '99 path=x\n' }, file('f')]), ''],
  ['an end within an entry', craft([file('f', 'x'.repeat(2_000))], Buffer.alloc(0)).subarray(0, 1_024), 'f'],
  ['no end', craft([file('f')], Buffer.alloc(0)), 'f'],
  ['more after the end', craft([file('f')], Buffer.concat([Buffer.alloc(1_024), Buffer.alloc(3 << 20, 1)])), 'f'],
];

describe('a hostile archive', () => {
  let top: string;
  let local: string;

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'petasos-hostile-'));
    mkdirSync(join(top, 'outside'));
    writeFileSync(join(top, 'outside', 'kept'), 'kept');
    mkdirSync(join(top, 'place'));
    local = join(top, 'local');
    mkdirSync(local);
    writeFileSync(join(local, 'mine'), 'mine');
  });
  afterEach(() => rmSync(top, { recursive: true }));

  const shell = { name: 'sh', shell: ['/bin/sh'] as const, path: process.env.PATH ?? '', dispose: () => {} };
  const receive = (archive: Buffer, options: TransferOptions = {}, to = local) =>
    childFiles(shell, join(top, 'place'), { driverFiles: { downloadTar: async () => Readable.from([archive]) } }).download(
      '.',
      to,
      options,
    );
  const untouched = () => {
    expect(readdirSync(local)).toEqual(['mine']);
    expect(readdirSync(join(top, 'outside'))).toEqual(['kept']);
    expect(readFileSync(join(top, 'outside', 'kept'), 'utf8')).toBe('kept');
    expect(readdirSync(top).sort()).toEqual(['local', 'outside', 'place']);
  };

  it.each(hostile)('with %s is refused and touches nothing', async (_what, archive, entry) => {
    const refused = { name: 'PetasosError', code: 'hostile-archive', operation: 'files.download', data: { entry } };
    await expect(receive(archive)).rejects.toMatchObject(refused);
    untouched();
    await expect(receive(archive, {}, join(top, 'new', 'deep'))).rejects.toMatchObject(refused);
    untouched();
  });

  it('is told by an honest one', async () => {
    const honest = [
      directory('./'),
      directory('./d/'),
      file('./d/f', 'content'),
      link('./l', 'd/f'),
      link('./d/up', '../l'),
      hardLink('./h', './d/f'),
      longName(`./${'n'.repeat(255)}`),
      file('short', 'long'),
      pax({ path: 'ünï', mtime: '1000000000.5' }),
      file('short', 'pax'),
      file('implied/by/name', 'deep'),
    ];
    expect(await receive(craft(honest))).toMatchObject({ files: 5, directories: 1, symlinks: 2 });
    expect(readdirSync(local).sort()).toEqual(['d', 'h', 'implied', 'l', 'mine', 'n'.repeat(255), 'ünï']);
    expect(readFileSync(join(local, 'l'), 'utf8')).toBe('content');
    expect(statSync(join(local, 'ünï')).mtimeMs).toBe(1_000_000_000_500);
  });

  it('gets no set-user-id bits', async () => {
    await receive(
      craft([
        { ...file('program'), mode: 0o6755 },
        { ...directory('shared'), mode: 0o3777 },
      ]),
    );
    expect(statSync(join(local, 'program')).mode & 0o7777).toBe(0o755);
    expect(statSync(join(local, 'shared')).mode & 0o7777).toBe(0o777);
  });

  it('may hold links out of the tree when the caller wants them', async () => {
    await receive(craft([link('out', '/etc/hostname'), link('up', '../outside')]), { outsideLinks: 'keep' });
    expect(readlinkSync(join(local, 'out'))).toBe('/etc/hostname');
    const through = craft([link('up', '../outside'), file('up/x')]);
    await expect(receive(through, { outsideLinks: 'keep' }, join(top, 'new'))).rejects.toMatchObject({ code: 'hostile-archive' });
    expect(readdirSync(join(top, 'outside'))).toEqual(['kept']);
  });

  it('cannot use a link that an earlier download brought', async () => {
    await receive(craft([link('up', '../outside')]), { outsideLinks: 'keep' });
    await expect(receive(craft([directory('up'), file('up/x')]))).rejects.toMatchObject({ code: 'file-not-directory' });
    await receive(craft([file('up', 'replaced')]));
    expect(readFileSync(join(local, 'up'), 'utf8')).toBe('replaced');
    expect(readdirSync(join(top, 'outside'))).toEqual(['kept']);
  });

  it('may hold anything where it is ignored, but for a name that climbs', async () => {
    await receive(craft([{ name: 'dev/null', flag: '3' }, file('f')]), { ignore: ['dev'] });
    expect(readdirSync(local).sort()).toEqual(['f', 'mine']);
    await expect(receive(craft([file('../dev')]), { ignore: ['*'] })).rejects.toMatchObject({ code: 'hostile-archive' });
  });

  it('does not fill the disk before it is refused', async () => {
    await expect(receive(craft([{ ...file('big'), size: `\x80${'\0'.repeat(4)}\x01${'\0'.repeat(6)}` }]))).rejects.toMatchObject({
      code: 'no-space',
    });
    untouched();
  });

  it('is refused when the tar of the place sends it', async () => {
    writeFileSync(join(top, 'archive'), craft([link('d', '../outside'), file('d/x')]));
    const tar = `case $1 in --version) exit 0 ;; esac\ncat '${join(top, 'archive')}'\nsleep 60`;
    const programs = applets('a compromised place', [], { tar });
    try {
      const refused = childFiles(programs, join(top, 'place')).download('.', local);
      await expect(refused).rejects.toMatchObject({ code: 'hostile-archive', data: { entry: 'd' } });
      rmSync(join(top, 'archive'));
      untouched();
    } finally {
      programs.dispose();
    }
  });

  it('finds no way through a local link to the destination', async () => {
    symlinkSync('local', join(top, 'alias'));
    await receive(craft([file('f', 'through')]), {}, join(top, 'alias'));
    expect(readFileSync(join(local, 'f'), 'utf8')).toBe('through');
  });
});
