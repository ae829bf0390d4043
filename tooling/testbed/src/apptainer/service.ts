import { copyFile, mkdir, rename, stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { command, findProgram } from '../command.js';
import { busyboxTar, debianTar } from '../docker/images.js';
import { userPrefix } from '../paths.js';
import { allOrNothing, type Service, type StartContext, type Started } from '../service.js';
import { makeSystemUser, removeSystemUser, type SystemUser } from '../system-user.js';
import { dockerArchive } from './images.js';
import { installedProgram, openFuse, unpackApptainer } from './install.js';

export interface ApptainerInfo {
  /** Path of `apptainer`, or of `singularity` where the machine has that. */
  readonly program: string;
  /** An ordinary user, as on a cluster. */
  readonly user: SystemUser;
  /** Words before a command line that is to run as that user, with nothing of this environment; none where that user is us. */
  readonly asUser: readonly string[];
  readonly images: {
    /** A directory with Debian, made by `apptainer build --sandbox`. */
    readonly sandbox: string;
    /** The same as one file. */
    readonly sif: string;
    /** A SIF file with busybox alone: a POSIX `sh`, no bash. */
    readonly busybox: string;
    /** busybox as `docker save` writes it. */
    readonly dockerArchive: string;
  };
}

/** Apptainer without root: the machine's own, or one that is unpacked here, with images. */
export const apptainer: Service<ApptainerInfo> = {
  name: 'apptainer',
  needs: () => [
    { program: 'mksquashfs', debianPackage: 'squashfs-tools' },
    { program: 'squashfuse', debianPackage: 'squashfuse' },
    { program: 'fuse2fs', debianPackage: 'fuse2fs' },
    { program: 'fuse-overlayfs', debianPackage: 'fuse-overlayfs' },
    { program: 'newuidmap', debianPackage: 'uidmap' },
    { program: 'setpriv', debianPackage: 'util-linux' },
    { program: 'busybox', debianPackage: 'busybox-static' },
    ...(process.getuid?.() === 0 ? [{ program: 'debootstrap', debianPackage: 'debootstrap' }] : []),
    ...(installedProgram() === undefined ? [{ program: 'patchelf', debianPackage: 'patchelf' }] : []),
  ],
  start,
  async probe({ program, asUser, images }) {
    await Promise.all(Object.values(images).map((file) => stat(file)));
    const [head = program, ...rest] = [...asUser, program];
    await command(head, [...rest, '--version']);
  },
  async clean({ user }) {
    if (user.uid !== process.getuid?.()) await removeSystemUser(user.name);
  },
};

function start({ directory, cache, log }: StartContext): Promise<Started<ApptainerInfo>> {
  return allOrNothing(async (undo) => {
    const path = await programDirectory(directory, cache, log);
    const program = findProgram(join(path, 'apptainer')) ?? findProgram(join(path, 'singularity')) ?? 'apptainer';
    await openFuse();
    const user = await ordinaryUser(directory);
    if (user.uid !== process.getuid?.()) undo(() => removeSystemUser(user.name));
    const asUser = wordsFor(user, path);
    const images = await makeImages({ directory, cache, log }, program, asUser, user);
    return { info: { program, user, asUser, images }, processes: [] };
  });
}

async function programDirectory(directory: string, cache: string, log: (line: string) => void): Promise<string> {
  const present = installedProgram();
  if (present !== undefined) return dirname(present);
  if (process.getuid?.() !== 0 || findProgram('apt-get') === undefined) throw new Error('apptainer not found; install it first');
  return unpackApptainer(directory, cache, log);
}

async function ordinaryUser(directory: string): Promise<SystemUser> {
  if (process.getuid?.() === 0)
    return makeSystemUser({ name: `${userPrefix}hpc`, home: join(directory, 'home'), shell: findProgram('bash') ?? '/bin/sh' });
  const { username, uid, homedir, shell } = userInfo();
  return { name: username, uid, home: homedir, shell: shell ?? '/bin/sh' };
}

function wordsFor({ name, uid, home, shell }: SystemUser, path: string): readonly string[] {
  if (uid === process.getuid?.()) return [];
  return [
    ...['setpriv', `--reuid=${name}`, `--regid=${name}`, '--init-groups', 'env', '-i', `HOME=${home}`, `USER=${name}`, `LOGNAME=${name}`],
    ...[`SHELL=${shell}`, `PATH=${path}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`],
  ];
}

async function makeImages(
  { directory, cache, log }: StartContext,
  program: string,
  asUser: readonly string[],
  user: SystemUser,
): Promise<ApptainerInfo['images']> {
  const folder = join(directory, 'images');
  await mkdir(folder);
  if (asUser.length > 0) await command('chown', [user.name, folder]);
  const images = {
    sandbox: join(folder, 'debian'),
    sif: join(folder, 'debian.sif'),
    busybox: join(folder, 'busybox.sif'),
    dockerArchive: join(folder, 'busybox.tar'),
  };
  const build = (...args: string[]) => {
    const [head = program, ...rest] = [...asUser, program, 'build', ...args];
    return command(head, rest, { cwd: folder });
  };
  const debian = join(folder, 'debian.tar');
  await dockerArchive(await debianTar(cache, log), debian);
  await dockerArchive(await busyboxTar(cache), images.dockerArchive);
  await build('--sandbox', images.sandbox, `docker-archive:${debian}`);
  await command('rm', [debian]);
  await build(images.busybox, `docker-archive:${images.dockerArchive}`);
  // Half a minute of compression, which the next start need not wait for.
  const kept = join(cache, `debian-${process.arch}.sif`);
  if (
    await copyFile(kept, images.sif).then(
      () => false,
      () => true,
    )
  ) {
    log(`making a SIF file; kept in ${cache}`);
    await build(images.sif, images.sandbox);
    await copyFile(images.sif, `${kept}.new`);
    await rename(`${kept}.new`, kept);
  }
  return images;
}
