import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** `node_modules` of a global installation: the CLI and the local backend, built from the sources as they are now. */
    installation: string;
  }
}

const packages = fileURLToPath(new URL('../../..', import.meta.url));
const tsup = join(dirname(createRequire(import.meta.url).resolve('tsup')), 'cli-default.js');

/**
 * Installs what users install, in a directory of its own: neither a stale build nor anything else of the workspace can
 * make a test pass.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const prefix = await mkdtemp(join(tmpdir(), 'petasos-installation-'));
  const modules = join(prefix, 'lib/node_modules');
  for (const name of ['core', 'backend-local', 'cli']) await install(join(packages, name), modules);
  project.provide('installation', modules);
  return () => rm(prefix, { recursive: true, force: true });
}

async function install(source: string, modules: string): Promise<void> {
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as {
    readonly name: string;
    readonly bin?: unknown;
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  };
  const target = join(modules, manifest.name);
  await mkdir(target, { recursive: true });
  await cp(join(source, 'package.json'), join(target, 'package.json'));
  if (manifest.bin !== undefined) await cp(join(source, 'bin'), join(target, 'bin'), { recursive: true });
  const child = spawn(process.execPath, [tsup, '--no-dts', '--silent', '--out-dir', join(target, 'dist')], {
    cwd: source,
    stdio: 'inherit',
  });
  const [status]: unknown[] = await once(child, 'exit');
  if (status !== 0) throw new Error(`building ${source} ended with ${String(status)}`);
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    if (name.startsWith('@petasos/')) continue;
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(await realpath(join(source, 'node_modules', name)), join(modules, name));
  }
}
