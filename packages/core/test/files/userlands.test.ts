import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applets, childFiles, type Userland } from './child-runner.js';

/** What BSD's stat does with the two formats that the scripts give it, on top of the one that is here. */
const bsdStat = `
stat=/usr/bin/stat
[ "$1" = -f ] || exit 1
format=$2
shift 2
case $format in
  %Xp) exec $stat -c %f "$@" ;;
  '%Xp %z %m %N') exec $stat -c '%f %s %Y %n' "$@" ;;
  '%Mp%Lp %u:%g') exec $stat -c '%04a %u:%g' "$@" ;;
  *) exit 1 ;;
esac`;

const userlands: readonly (() => Userland)[] = [
  () => applets('a BSD stat', [], { stat: bsdStat }),
  () => applets('no stat at all', ['stat']),
];

describe.each(userlands.map((make) => make()))('files with $name', (userland) => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'petasos-userland-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  afterAll(() => userland.dispose());

  it('are described alike', async () => {
    const files = childFiles(userland, root);
    const names = ['plain', 'with space', '* ?', 'new\nline', '-l', 'ünï', 'Nov 29 13:31 ./'.replace('./', '')];
    for (const name of names) writeFileSync(join(root, name), name);
    chmodSync(join(root, 'plain'), 0o4751);
    mkdirSync(join(root, 'sticky'));
    chmodSync(join(root, 'sticky'), 0o1777);
    symlinkSync('plain -> other', join(root, 'link'));
    const listed = new Map((await files.list('.')).map((info) => [info.name, info]));
    expect([...listed.keys()].sort()).toEqual([...names, 'home', 'link', 'sticky'].sort());
    for (const name of names) expect(listed.get(name)).toMatchObject({ kind: 'file', size: Buffer.byteLength(name) });
    expect(listed.get('plain')).toMatchObject({ mode: 0o4751 });
    expect(listed.get('sticky')).toMatchObject({ kind: 'directory', mode: 0o1777 });
    expect(listed.get('link')).toMatchObject({ kind: 'symlink', target: 'plain -> other' });
    expect(await files.stat('/dev/null')).toMatchObject({ kind: 'other', size: 0 });
    expect(await files.stat('/')).toMatchObject({ kind: 'directory' });
  });

  it('have the times that the place can tell', async () => {
    const files = childFiles(userland, root);
    const now = Date.now();
    for (const [name, age] of Object.entries({ recent: 3_600_000, months: 100 * 86_400_000, years: 3_000 * 86_400_000 })) {
      writeFileSync(join(root, name), '');
      utimesSync(join(root, name), new Date(now - age), new Date(now - age));
      const told = (await files.stat(name)).modifiedAt.getTime();
      // Without stat there are minutes for what is recent and days for what is not.
      const grain = userland.name === 'a BSD stat' ? 1_000 : name === 'years' ? 86_400_000 : 60_000;
      expect(now - age - told).toBeGreaterThanOrEqual(0);
      expect(now - age - told).toBeLessThan(grain);
    }
  });

  it('keep their mode when they are written', async () => {
    const files = childFiles(userland, root);
    for (const mode of [0o640, 0o755, 0o4750, 0o600]) {
      writeFileSync(join(root, 'file'), 'old');
      chmodSync(join(root, 'file'), mode);
      await files.write('file', 'new');
      expect(statSync(join(root, 'file')).mode & 0o7777).toBe(mode);
    }
  });
});

describe('a place without tar', () => {
  it('is named as such', async () => {
    const root = mkdtempSync(join(tmpdir(), 'petasos-userland-'));
    const userland = applets('no tar', ['tar']);
    try {
      const files = childFiles(userland, root);
      const local = join(root, 'local');
      mkdirSync(local);
      await expect(files.upload(local, 'up')).rejects.toMatchObject({ code: 'unsupported', remedy: expect.stringContaining('tar') });
      await expect(files.download('home', join(root, 'down'))).rejects.toMatchObject({ code: 'unsupported' });
      await files.write('file', 'one by one');
      expect(await files.readText('file')).toBe('one by one');
    } finally {
      userland.dispose();
      rmSync(root, { recursive: true });
    }
  });
});
