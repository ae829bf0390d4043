import { chmod, cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { must, type RunOptions } from './process.js';
import type { Registry } from './registry.js';

export const root = fileURLToPath(new URL('../../..', import.meta.url));

export interface Published {
  readonly name: string;
  readonly version: string;
  /** The backend in it, if it is one. */
  readonly backend: string | undefined;
  /** What the release wrote about it. */
  readonly changelog: string;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly petasos?: { readonly name: string };
  readonly publishConfig?: Readonly<Record<string, unknown>>;
}

/**
 * Releases a copy of this repository to a local registry, with the steps of the release workflow: versions and changelogs from the
 * changesets, then everything that is not published yet. What is published was built before; only what the version is put into is built again.
 */
export async function release(registry: Registry, directory: string): Promise<readonly Published[]> {
  const copy = join(directory, 'repository');
  const bin = join(directory, 'bin');
  await copyRepository(copy);
  await pnpmCommand(bin);
  const env = { ...process.env, ...registry.env, PATH: `${bin}:${process.env.PATH ?? ''}`, CI: 'true' };
  const here: RunOptions = { cwd: copy, env };
  // Changesets read the history; one commit is enough of it.
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '--all'],
    ['commit', '--quiet', '--message=release'],
  ]) {
    await must('git', ['-c', 'user.name=release', '-c', 'user.email=release@localhost', '-c', 'commit.gpgsign=false', ...args], here);
  }
  const changeset = join(root, 'node_modules/@changesets/cli/bin.js');
  await must(process.execPath, [changeset, 'version'], here);
  const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
  await must(process.execPath, [tsup, '--silent'], { cwd: join(copy, 'packages/cli'), env });
  await withoutProvenance(copy);
  await must(process.execPath, [changeset, 'publish', '--no-git-tag'], here);
  return publishedPackages(copy);
}

/** The files of the repository with what was built from them. Dependencies are linked, not copied. */
async function copyRepository(copy: string): Promise<void> {
  const listed = await must('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root, env: process.env });
  const files = listed.split('\0').filter((path) => path !== '' && !path.startsWith('docs/'));
  for (const path of files) await cp(join(root, path), join(copy, path), { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing);
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await writeFile(join(copy, '.gitignore'), 'node_modules\ndist\n');
  for (const folder of await readdir(join(root, 'packages'))) {
    for (const part of ['dist', 'node_modules']) {
      const source = join(root, 'packages', folder, part);
      await cp(source, join(copy, 'packages', folder, part), { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing);
    }
  }
}

/** A file that was removed and not committed yet is listed all the same. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

/** Changesets call `pnpm`; a machine may have it by npm's runner alone. */
async function pnpmCommand(bin: string): Promise<void> {
  const { packageManager = 'pnpm' } = await readManifest(root);
  await mkdir(bin, { recursive: true });
  const path = join(bin, 'pnpm');
  // The runner itself must not ask the local registry, which does not answer for long.
  await writeFile(path, `#!/bin/sh\nexec npx --yes --prefer-offline ${packageManager} "$@"\n`);
  await chmod(path, 0o755);
}

/** Provenance is signed by the service that builds: nobody else can make it, and the registry here asks for none. */
async function withoutProvenance(copy: string): Promise<void> {
  for (const folder of await readdir(join(copy, 'packages'))) {
    const path = join(copy, 'packages', folder, 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8')) as Manifest;
    const changed = { ...manifest, publishConfig: { ...manifest.publishConfig, provenance: false } };
    await writeFile(path, `${JSON.stringify(changed, null, 2)}\n`);
  }
}

async function publishedPackages(copy: string): Promise<readonly Published[]> {
  const published: Published[] = [];
  for (const folder of (await readdir(join(copy, 'packages'))).sort()) {
    const directory = join(copy, 'packages', folder);
    const { name, version, petasos, private: kept } = await readManifest(directory);
    if (kept === true) continue;
    const changelog = await readFile(join(directory, 'CHANGELOG.md'), 'utf8').catch(() => '');
    published.push({ name, version, backend: petasos?.name, changelog });
  }
  return published;
}

async function readManifest(directory: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as Manifest;
}
