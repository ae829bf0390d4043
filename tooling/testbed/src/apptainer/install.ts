import { existsSync } from 'node:fs';
import { access, chmod, constants, cp, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, findProgram } from '../command.js';
import { mirror } from '../docker/images.js';
import { locked } from '../lock.js';

const suite = 'sid';
/** Apptainer of the unstable suite, and the libraries that it wants newer than the stable release has them. */
const packages = ['apptainer', 'libc6', 'libseccomp2', 'libsqlite3-0'];

export const installedProgram = () => findProgram('apptainer') ?? findProgram('singularity');

/**
 * Unpacks Apptainer below `directory` and lets it use a C library of its own: no stable Debian has this package, and its libc must not
 * become the machine's. @returns the directory to put on PATH
 */
export async function unpackApptainer(directory: string, cache: string, log: (line: string) => void): Promise<string> {
  const debs = await downloaded(join(cache, `apptainer-${suite}-${process.arch}`), log);
  const staging = join(directory, 'unpacked');
  await mkdir(staging);
  for (const name of packages) await command('dpkg-deb', ['-x', debFile(debs, name), join(staging, name)]);

  const libraries = join(directory, 'lib');
  await mkdir(libraries, { recursive: true });
  const [triplet = ''] = (await readdir(join(staging, 'libc6/usr/lib'))).filter((name) => name.endsWith('-linux-gnu'));
  for (const name of packages.slice(1)) {
    const from = join(staging, name, 'usr/lib', triplet);
    for (const file of (await readdir(from)).filter((candidate) => candidate.includes('.so')))
      await cp(join(from, file), join(libraries, file), { dereference: true });
  }

  const usr = join(directory, 'usr');
  await rename(join(staging, 'apptainer/usr'), usr);
  // It looks for its configuration and its mount points beside its programs, and its two programs lie at different depths.
  for (const name of ['etc', 'var']) {
    await rename(join(staging, 'apptainer', name), join(usr, name));
    await symlink(`../${name}`, join(usr, 'lib', name));
  }
  const loader = (await readdir(libraries)).find((name) => name.startsWith('ld-linux')) ?? '';
  for (const program of [join(usr, 'bin/apptainer'), join(usr, 'lib', triplet, 'apptainer/bin/starter')])
    await command('patchelf', ['--set-interpreter', join(libraries, loader), '--force-rpath', '--set-rpath', libraries, program]);
  await rm(staging, { recursive: true });
  return join(usr, 'bin');
}

function debFile(debs: readonly string[], name: string): string {
  const found = debs.find((file) => file.split('/').at(-1)?.startsWith(`${name}_`));
  if (found === undefined) throw new Error(`the package ${name} was not downloaded`);
  return found;
}

/** The packages' files, from the cache or from the unstable suite, without a word about that suite in the machine's own apt. */
function downloaded(cache: string, log: (line: string) => void): Promise<readonly string[]> {
  return locked(`${cache}.lock`, async () => {
    const list = async () => (await readdir(cache)).filter((file) => file.endsWith('.deb')).map((file) => join(cache, file));
    if (existsSync(cache)) return list();
    log(`downloading ${packages.join(' ')} of Debian ${suite}; kept in ${cache}`);
    const apt = await mkdtemp(join(tmpdir(), 'petasos-apt-'));
    try {
      for (const folder of ['lists/partial', 'cache/archives/partial', 'debs']) await mkdir(join(apt, folder), { recursive: true });
      const [address = 'http://deb.debian.org/debian'] = await mirror();
      await writeFile(
        join(apt, 'sources.list'),
        `deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${address} ${suite} main\n`,
      );
      await writeFile(join(apt, 'status'), '');
      const settings = [
        `Dir::State=${apt}`,
        `Dir::State::lists=${apt}/lists`,
        `Dir::State::status=${apt}/status`,
        `Dir::Cache=${apt}/cache`,
        `Dir::Etc::sourcelist=${apt}/sources.list`,
        'Dir::Etc::sourceparts=-',
        'Acquire::Languages=none',
        'APT::Sandbox::User=root',
      ].flatMap((setting) => ['-o', setting]);
      await command('apt-get', ['-q', ...settings, 'update']);
      await command('apt-get', ['-q', ...settings, 'download', ...packages], { cwd: join(apt, 'debs') });
      await rm(`${cache}.new`, { recursive: true, force: true });
      await cp(join(apt, 'debs'), `${cache}.new`, { recursive: true });
      await rename(`${cache}.new`, cache);
      return await list();
    } finally {
      await rm(apt, { recursive: true, force: true });
    }
  });
}

/** An image file is mounted by an ordinary user through FUSE. Debian's own rule gives everybody the device. */
export async function openFuse(): Promise<void> {
  if (!existsSync('/dev/fuse')) throw new Error('this kernel has no /dev/fuse, which Apptainer mounts image files with');
  if (process.getuid?.() === 0) await chmod('/dev/fuse', 0o666);
  else await access('/dev/fuse', constants.R_OK | constants.W_OK);
}
