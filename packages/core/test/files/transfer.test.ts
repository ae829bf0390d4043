import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Progress } from '../../src/contract/index.js';
import type { Files } from '../../src/files/index.js';
import { childFiles, userlands } from './child-runner.js';
import { writeEndless } from './endless-file.js';

/** Everything that a transfer keeps, for each path below `root`. Symlinks are not followed. */
function snapshot(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const visit = (directory: string) => {
    for (const name of readdirSync(Buffer.from(`${Buffer.from(root).toString('latin1')}/${directory}`, 'latin1'), {
      encoding: 'latin1',
    }).sort()) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const local = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
      const stat = lstatSync(local);
      const seconds = Math.floor(stat.mtimeMs / 1000);
      if (stat.isSymbolicLink()) found[path] = `link ${seconds} ${readlinkSync(local)}`;
      else if (stat.isDirectory()) {
        found[path] = `directory ${(stat.mode & 0o7777).toString(8)} ${seconds}`;
        visit(path);
      } else found[path] = `file ${(stat.mode & 0o7777).toString(8)} ${seconds} ${readFileSync(local).toString('base64')}`;
    }
  };
  visit('');
  return found;
}

describe.each(userlands.map((make) => make()))('trees through $name', (userland) => {
  let root: string;
  let local: string;
  let files: Files;

  beforeEach(() => {
    const top = mkdtempSync(join(tmpdir(), 'petasos-trees-'));
    root = join(top, 'place');
    local = join(top, 'local');
    mkdirSync(local);
    files = childFiles(userland, root);
  });
  afterEach(() => {
    execFileSync('chmod', ['-R', 'u+rwx', join(root, '..')]);
    rmSync(join(root, '..'), { recursive: true });
  });
  afterAll(() => userland.dispose());

  const sample = () => {
    mkdirSync(join(local, 'src', 'empty'), { recursive: true });
    mkdirSync(join(local, 'ünï', 'x'.repeat(120), 'y'.repeat(200)), { recursive: true });
    writeFileSync(join(local, 'ünï', 'x'.repeat(120), 'y'.repeat(200), 'z'.repeat(255)), 'long');
    writeFileSync(join(local, 'src', '-rf'), 'dash');
    writeFileSync(join(local, 'src', 'new\nline \'"$(x)'), 'odd');
    writeFileSync(Buffer.concat([Buffer.from(`${local}/src/`), Buffer.from([0x66, 0xff, 0xfe, 0x6f])]), 'not utf-8');
    writeFileSync(join(local, '.hidden'), '');
    writeFileSync(join(local, 'script'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(local, 'secret'), 'secret', { mode: 0o600 });
    writeFileSync(join(local, 'big'), Buffer.alloc(700_001, 'big'));
    writeFileSync(join(local, 'block'), Buffer.alloc(1024, 1));
    mkdirSync(join(local, 'readonly'));
    writeFileSync(join(local, 'readonly', 'file'), 'r', { mode: 0o444 });
    symlinkSync('src/-rf', join(local, 'link'));
    symlinkSync('../big', join(local, 'ünï', 'up'));
    symlinkSync('src', join(local, 'directory-link'));
    symlinkSync('missing', join(local, 'dangling'));
    symlinkSync('t'.repeat(150), join(local, 'long-target'));
    utimesSync(join(local, 'script'), 1_000_000_000, 1_000_000_000);
    lutimesSync(join(local, 'link'), 1_100_000_000, 1_100_000_000);
    utimesSync(join(local, 'src', 'empty'), 1_200_000_000, 1_200_000_000);
    chmodSync(join(local, 'src', 'empty'), 0o711);
    utimesSync(join(local, 'src'), 1_300_000_000, 1_300_000_000);
    chmodSync(join(local, 'readonly'), 0o555);
  };

  // Busybox gives symlinks no time, and makes those that lead upwards last, which changes their directory's.
  const kept = (directory: string) => {
    const found = snapshot(directory);
    if (userland.name !== 'busybox') return found;
    const plain = ([path, what]: [string, string]) => [
      path,
      what.startsWith('link') || path === '\xc3\xbcn\xc3\xaf' ? what.replace(/\d{10}/, '') : what,
    ];
    return Object.fromEntries(Object.entries(found).map(plain));
  };

  it('keeps content, modes, times, links and names both ways', async () => {
    sample();
    const up = await files.upload(local, 'tree');
    expect(kept(join(root, 'tree'))).toEqual(kept(local));
    expect(up).toMatchObject({ symlinks: 5, directories: 6, files: 10, skipped: [] });
    const back = join(root, '..', 'back');
    const down = await files.download('tree', back);
    expect(snapshot(back)).toEqual(snapshot(join(root, 'tree')));
    expect(down).toEqual(up);
    expect(readdirSync(join(root, '..')).sort()).toEqual(['back', 'local', 'place']);
  });

  it('merges into what is there and leaves its modes alone', async () => {
    sample();
    mkdirSync(join(root, 'tree', 'src'), { recursive: true });
    chmodSync(join(root, 'tree'), 0o750);
    chmodSync(join(root, 'tree', 'src'), 0o700);
    writeFileSync(join(root, 'tree', 'src', 'kept'), 'kept');
    writeFileSync(join(root, 'tree', 'src', '-rf'), 'old');
    await files.upload(local, 'tree');
    await files.upload(local, 'tree');
    expect(lstatSync(join(root, 'tree')).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(root, 'tree', 'src')).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(root, 'tree', 'src', 'kept'), 'utf8')).toBe('kept');
    expect(readFileSync(join(root, 'tree', 'src', '-rf'), 'utf8')).toBe('dash');

    const back = join(root, '..', 'back');
    mkdirSync(join(back, 'src'), { recursive: true });
    chmodSync(back, 0o750);
    chmodSync(join(back, 'src'), 0o711);
    writeFileSync(join(back, 'mine'), 'mine');
    writeFileSync(join(back, 'secret'), 'old');
    await files.download('tree', back);
    await files.download('tree', back);
    expect(lstatSync(back).mode & 0o777).toBe(0o750);
    expect(lstatSync(join(back, 'src')).mode & 0o777).toBe(0o711);
    expect(readFileSync(join(back, 'mine'), 'utf8')).toBe('mine');
    expect(readFileSync(join(back, 'secret'), 'utf8')).toBe('secret');
    expect(readFileSync(join(back, 'src', 'kept'), 'utf8')).toBe('kept');
    expect(readdirSync(back).filter((name) => name.startsWith('.petasos'))).toEqual([]);
  });

  it('changes nothing when a directory and a file want the same place', async () => {
    mkdirSync(join(local, 'a'));
    writeFileSync(join(local, 'a', 'new'), '');
    writeFileSync(join(local, 'z'), '');
    mkdirSync(join(root, 'one', 'z'), { recursive: true });
    await expect(files.upload(local, 'one')).rejects.toMatchObject({ code: 'file-is-directory' });
    expect(readdirSync(join(root, 'one'))).toEqual(['z']);
    mkdirSync(join(root, 'two'));
    writeFileSync(join(root, 'two', 'a'), 'file');
    await expect(files.upload(local, 'two')).rejects.toMatchObject({ code: 'file-not-directory' });
    expect(readdirSync(join(root, 'two'))).toEqual(['a']);

    await files.upload(local, 'three');
    const back = join(root, '..', 'back');
    mkdirSync(join(back, 'z'), { recursive: true });
    await expect(files.download('three', back)).rejects.toMatchObject({ code: 'file-is-directory' });
    expect(readdirSync(back)).toEqual(['z']);
    rmSync(join(back, 'z'), { recursive: true });
    mkdirSync(join(root, '..', 'elsewhere'));
    symlinkSync('../elsewhere', join(back, 'a'));
    await expect(files.download('three', back)).rejects.toMatchObject({ code: 'file-not-directory' });
    expect(readdirSync(back)).toEqual(['a']);
    expect(readdirSync(join(root, '..', 'elsewhere'))).toEqual([]);
  });

  it('leaves out what is ignored', async () => {
    mkdirSync(join(local, 'node_modules', 'deep'), { recursive: true });
    mkdirSync(join(local, 'src'));
    for (const path of ['node_modules/deep/x', 'src/a.log', 'src/keep.log', 'src/b.ts', 'top.log']) writeFileSync(join(local, path), path);
    const ignore = ['node_modules/', '*.log', '!keep.log'];
    await files.upload(local, 'up', { ignore });
    expect(Object.keys(snapshot(join(root, 'up')))).toEqual(['src', 'src/b.ts', 'src/keep.log']);
    await files.upload(local, 'all');
    const back = join(root, '..', 'back');
    await files.download('all', back, { ignore });
    expect(Object.keys(snapshot(back))).toEqual(['src', 'src/b.ts', 'src/keep.log']);
  });

  it('tells how far it is', async () => {
    sample();
    const events: Progress[] = [];
    const result = await files.upload(local, 'tree', { onProgress: (event) => events.push(event) });
    expect(events.slice(-2)).toEqual([
      { step: 'upload', done: result.bytes, unit: 'bytes' },
      { step: 'upload', done: result.files + result.directories + result.symlinks, unit: 'items' },
    ]);
  });

  it('names what an upload cannot carry', async () => {
    execFileSync('mkfifo', [join(local, 'pipe')]);
    writeFileSync(join(local, 'file'), '');
    expect(await files.upload(local, 'tree')).toMatchObject({ files: 1, skipped: ['pipe'] });
    expect(readdirSync(join(root, 'tree'))).toEqual(['file']);
  });

  it('keeps files that are linked to each other', async () => {
    mkdirSync(join(root, 'tree'));
    writeFileSync(join(root, 'tree', 'a'), 'linked');
    execFileSync('ln', [join(root, 'tree', 'a'), join(root, 'tree', 'b')]);
    const back = join(root, '..', 'back');
    await files.download('tree', back);
    expect(readFileSync(join(back, 'a'), 'utf8') + readFileSync(join(back, 'b'), 'utf8')).toBe('linkedlinked');
  });

  it('says what is wrong by code', async () => {
    writeFileSync(join(local, 'file'), '');
    writeFileSync(join(root, 'file'), '');
    const back = join(root, '..', 'new', 'back');
    await expect(files.upload(join(local, 'missing'), 'x')).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(files.upload(join(local, 'file'), 'x')).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.upload(local, 'file')).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.upload(local, 'file/below')).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.download('missing', back)).rejects.toMatchObject({ code: 'file-not-found' });
    await expect(files.download('file', back)).rejects.toMatchObject({ code: 'file-not-directory' });
    await expect(files.download('.', join(local, 'file'))).rejects.toMatchObject({ code: 'file-not-directory' });
    expect(existsSync(join(root, '..', 'new'))).toBe(false);
    expect(readdirSync(root).sort()).toEqual(['file', 'home']);
  });

  it('stops when it is aborted and leaves nothing', async () => {
    writeEndless(join(local, 'big'));
    const upload = new AbortController();
    const up = files.upload(local, 'new/tree', { signal: upload.signal, onProgress: () => upload.abort() });
    await expect(up).rejects.toMatchObject({ code: 'aborted', operation: 'files.upload' });
    expect(readdirSync(root)).toEqual(['home']);

    mkdirSync(join(root, 'source'));
    writeEndless(join(root, 'source', 'big'));
    const download = new AbortController();
    const back = join(root, '..', 'back');
    const down = files.download('source', back, { signal: download.signal, onProgress: () => download.abort() });
    await expect(down).rejects.toMatchObject({ code: 'aborted' });
    expect(readdirSync(join(root, '..')).sort()).toEqual(['local', 'place']);
    await expect(files.upload(local, 'never', { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'aborted' });
    expect(existsSync(join(root, 'never'))).toBe(false);
  });
});
