import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PetasosErrorCode } from '../../src/contract/index.js';
import type { Files } from '../../src/files/index.js';
import { childFiles, childRunner, userlands } from './child-runner.js';

/** An ordinary user: root itself may do anything. */
const uid = process.getuid?.() === 0 ? 65_534 : undefined;

describe.each(userlands.map((make) => make()))('an ordinary user through $name', (userland) => {
  let top: string;
  let root: string;
  let files: Files;

  const make = (path: string, mode: number, content?: string) => {
    if (content === undefined) mkdirSync(join(root, path));
    else writeFileSync(join(root, path), content);
    if (uid !== undefined) chownSync(join(root, path), uid, uid);
    chmodSync(join(root, path), mode);
  };
  const fails = async (code: PetasosErrorCode, action: Promise<unknown>) => {
    await expect(action).rejects.toMatchObject({ name: 'PetasosError', code });
  };

  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'petasos-permissions-'));
    chmodSync(top, 0o755);
    root = join(top, 'place');
    mkdirSync(root);
    if (uid !== undefined) chownSync(root, uid, uid);
    if (uid !== undefined) chmodSync(userland.path.split(':')[0] as string, 0o755);
    files = childFiles(userland, root, { runner: childRunner(userland, { uid }) });
  });
  afterEach(() => {
    for (const name of readdirSync(root)) chmodSync(join(root, name), 0o700);
    rmSync(top, { recursive: true });
  });
  afterAll(() => userland.dispose());

  it('is told what it may not do, and nothing changes', async () => {
    make('locked', 0o700);
    make('locked/file', 0o644, 'inside');
    make('locked/directory', 0o755);
    make('closed', 0o000, 'closed');
    make('fixed', 0o444, 'fixed');
    chmodSync(join(root, 'locked'), 0o500);
    await fails('file-permission', files.read('closed'));
    await fails('file-permission', files.write('closed', ''));
    await fails('file-permission', files.write('fixed', 'new'));
    await fails(
      'file-permission',
      files.write('locked/file', 'new').then(() => files.write('locked/new', '')),
    );
    await fails('file-permission', files.write('locked/new', ''));
    await fails('file-permission', files.write('locked/new/deeper', ''));
    await fails('file-permission', files.mkdir('locked/new'));
    await fails('file-permission', files.remove('locked/file'));
    await fails('file-permission', files.remove('locked/directory', { recursive: true }));
    await fails('file-permission', files.remove('locked', { recursive: true }));
    await fails('file-permission', files.move('locked/file', 'file'));
    await fails('file-permission', files.move('fixed', 'locked/fixed'));
    await fails('file-permission', files.upload(join(root, 'locked'), 'locked'));
    expect(await files.readText('fixed')).toBe('fixed');
    expect(await files.readText('locked/file')).toBe('inside');
    expect(readdirSync(root).sort()).toEqual(['closed', 'fixed', 'home', 'locked']);
    expect(readdirSync(join(root, 'locked')).sort()).toEqual(['directory', 'file']);
  });

  it('is told so where a directory shuts it out', async () => {
    make('unreadable', 0o700);
    make('unreadable/file', 0o644, '');
    chmodSync(join(root, 'unreadable'), 0o300);
    await fails('file-permission', files.list('unreadable'));
    expect(await files.stat('unreadable/file')).toMatchObject({ kind: 'file' });
    chmodSync(join(root, 'unreadable'), 0o600);
    await fails('file-permission', files.list('unreadable'));
    await fails('file-permission', files.stat('unreadable/file'));
    await fails('file-permission', files.read('unreadable/file'));
    await fails('file-permission', files.read('unreadable/missing'));
    await fails('file-permission', files.write('unreadable/file', ''));
    await fails('file-permission', files.mkdir('unreadable/new/er'));
    await fails('file-permission', files.download('unreadable', join(top, 'down')));
  });

  it('gets no part of a tree that it may not read whole', async () => {
    make('tree', 0o755);
    make('tree/open', 0o644, 'open');
    make('tree/closed', 0o000, 'closed');
    await fails('file-permission', files.download('tree', join(top, 'down')));
    expect(existsSync(join(top, 'down'))).toBe(false);
  });

  it('may not replace what another put into a shared directory', async () => {
    make('shared', 0o755);
    writeFileSync(join(root, 'shared', 'theirs'), 'theirs');
    chmodSync(join(root, 'shared', 'theirs'), 0o666);
    chownSync(join(root, 'shared'), statSync(top).uid, statSync(top).gid);
    chmodSync(join(root, 'shared'), 0o1777);
    if (uid === undefined) return expect(await files.write('shared/theirs', 'ours')).toBeUndefined();
    await fails('file-permission', files.write('shared/theirs', 'ours'));
    await fails('file-permission', files.remove('shared/theirs'));
    await fails('file-permission', files.move('shared/theirs', 'ours'));
    expect(readFileSync(join(root, 'shared', 'theirs'), 'utf8')).toBe('theirs');
    expect(readdirSync(join(root, 'shared'))).toEqual(['theirs']);
  });

  it('places directories that nobody may write into, once and again', async () => {
    const local = join(top, 'local');
    mkdirSync(join(local, 'fixed', 'inner'), { recursive: true });
    writeFileSync(join(local, 'fixed', 'inner', 'file'), 'content');
    chmodSync(join(local, 'fixed', 'inner'), 0o555);
    chmodSync(join(local, 'fixed'), 0o555);
    await files.upload(local, 'tree');
    for (const path of ['tree/fixed', 'tree/fixed/inner']) expect(statSync(join(root, path)).mode & 0o777).toBe(0o555);
    for (const path of ['tree/fixed', 'tree/fixed/inner']) chmodSync(join(root, path), 0o555);
    expect(readFileSync(join(root, 'tree', 'fixed', 'inner', 'file'), 'utf8')).toBe('content');
    await fails('file-permission', files.upload(local, 'tree'));
    expect(readdirSync(join(root, 'tree'))).toEqual(['fixed']);
    for (const path of ['tree/fixed', 'tree/fixed/inner']) chmodSync(join(root, path), 0o755);
    await files.upload(local, 'tree');
    for (const path of [join(local, 'fixed'), join(local, 'fixed', 'inner')]) chmodSync(path, 0o755);
  });

  it('leaves the owner as it was where it may', async () => {
    symlinkSync('file', join(root, 'link'));
    make('file', 0o664, 'old');
    await files.write('link', 'new');
    expect(statSync(join(root, 'file'))).toMatchObject({ uid: uid ?? process.getuid?.() });
    expect(statSync(join(root, 'file')).mode & 0o777).toBe(0o664);
    // Root writes for another user here.
    await childFiles(userland, root).write('file', 'by root');
    expect(statSync(join(root, 'file'))).toMatchObject({ uid: uid ?? process.getuid?.() });
  });
});
