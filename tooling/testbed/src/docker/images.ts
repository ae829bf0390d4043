import { chmod, copyFile, mkdir, mkdtemp, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, requireProgram } from '../command.js';
import { locked } from '../lock.js';
import { engineVersion, hasImage, importImage } from './api.js';

const debianSuite = 'bookworm';

/** A Debian root file system as a tar file, from the cache or made with debootstrap (root only, about half a minute). */
export function debianTar(cache: string, log: (line: string) => void): Promise<string> {
  const file = join(cache, `debian-${debianSuite}-minbase-${process.arch}.tar`);
  return cached(file, async (staging) => {
    if (process.getuid?.() !== 0) throw new Error('debootstrap needs root to make the Debian image');
    log(`making a Debian ${debianSuite} image with debootstrap; kept in ${cache}`);
    const tree = join(staging, 'root');
    await command('debootstrap', ['--variant=minbase', debianSuite, tree, ...(await mirror())]);
    for (const useless of ['var/cache/apt/archives', 'var/lib/apt/lists']) await rm(join(tree, useless), { recursive: true, force: true });
    return tree;
  });
}

/** A root file system with a static busybox and nothing else: its `sh` is not bash, and there is no bash. */
export function busyboxTar(cache: string): Promise<string> {
  return cached(join(cache, `busybox-${process.arch}.tar`), async (staging) => {
    const tree = join(staging, 'root');
    for (const folder of ['bin', 'dev', 'etc', 'proc', 'root', 'sys', 'tmp', 'usr', 'var/tmp'])
      await mkdir(join(tree, folder), { recursive: true });
    for (const folder of ['tmp', 'var/tmp']) await chmod(join(tree, folder), 0o1777);
    await copyFile(requireProgram('busybox'), join(tree, 'bin/busybox'));
    const applets = (await command('busybox', ['--list'])).split('\n').filter((name) => name !== '' && name !== 'busybox');
    for (const name of applets) await symlink('busybox', join(tree, 'bin', name));
    await symlink('../bin', join(tree, 'usr/bin'));
    await writeFile(join(tree, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000:user:/tmp:/bin/sh\n');
    await writeFile(join(tree, 'etc/group'), 'root:x:0:\nuser:x:1000:\n');
    return tree;
  });
}

/** Makes a tar file once for this machine; a reader never sees half of one. */
function cached(file: string, makeTree: (staging: string) => Promise<string>): Promise<string> {
  return locked(`${file}.lock`, async () => {
    if (
      await stat(file).then(
        ({ size }) => size > 0,
        () => false,
      )
    )
      return file;
    const staging = await mkdtemp(join(tmpdir(), 'petasos-image-'));
    try {
      const tree = await makeTree(staging);
      // A tree that an ordinary user made belongs to that user; in the image it is root's.
      const owner = process.getuid?.() === 0 ? [] : ['--owner=0', '--group=0'];
      await command('tar', ['--numeric-owner', ...owner, '-C', tree, '-cf', `${file}.new`, '.']);
      await rename(`${file}.new`, file);
      return file;
    } finally {
      await rm(staging, { recursive: true, force: true });
      await rm(`${file}.new`, { force: true });
    }
  });
}

/** Where this machine's apt gets its packages from; debootstrap knows a default where apt does not say. */
export async function mirror(): Promise<readonly string[]> {
  const policy = await command('apt-cache', ['policy', 'debootstrap']).catch(() => '');
  const address = policy.match(new RegExp(`\\d (\\S+) ${debianSuite}/main`))?.[1];
  return address === undefined ? [] : [address];
}

export const imageNames = { debian: 'petasos-testbed/debian:bookworm', busybox: 'petasos-testbed/busybox:latest' } as const;

/** Makes the two images of an engine from their root file systems. */
export async function importImages(socket: string, tars: Readonly<Record<keyof typeof imageNames, string>>): Promise<void> {
  await importImage(socket, tars.debian, imageNames.debian, ['CMD ["bash"]']);
  await importImage(socket, tars.busybox, imageNames.busybox, ['CMD ["sh"]']);
}

/** Asks an engine whether it is there and has its images. */
export async function requireImages(engine: { readonly socket: string; readonly images: Readonly<Record<string, string>> }): Promise<void> {
  await engineVersion(engine.socket);
  for (const image of Object.values(engine.images)) {
    if (!(await hasImage(engine.socket, image))) throw new Error(`${image} is missing`);
  }
}
