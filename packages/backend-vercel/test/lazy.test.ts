import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sdkName, sdkVersion } from '../src/sdk.js';

const run = promisify(execFile);
const here = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const require = createRequire(import.meta.url);
const cli = here('../../cli/bin/petasos.cjs');

let home: string;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'vercel-lazy-'));
  const log = JSON.stringify(path.join(home, 'modules'));
  await writeFile(
    path.join(home, 'hooks.mjs'),
    `import { appendFileSync } from 'node:fs';
export const resolve = async (specifier, context, next) => {
  const found = await next(specifier, context);
  appendFileSync(${log}, found.url + '\\n');
  return found;
};`,
  );
  await writeFile(path.join(home, 'witness.mjs'), `import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);`);
  await mkdir(path.join(home, '.config', 'petasos'), { recursive: true });
  await writeFile(path.join(home, '.config', 'petasos', 'config.yaml'), `plugins: [${here('..')}]\n`);
});

afterAll(() => rm(home, { recursive: true, force: true }));

/** Every module that the program asks for, in its own process and below, and what it prints. */
async function modulesOf(args: readonly string[]): Promise<{ readonly stdout: string; readonly modules: readonly string[] }> {
  await rm(path.join(home, 'modules'), { force: true });
  const NODE_OPTIONS = `--import file://${path.join(home, 'witness.mjs')}`;
  const { stdout } = await run(process.execPath, [...args], { cwd: home, env: { PATH: process.env.PATH, HOME: home, NODE_OPTIONS } });
  return { stdout, modules: (await readFile(path.join(home, 'modules'), 'utf8')).split('\n') };
}

const ofTheSdk = (url: string) => /@vercel|undici|\/zod\/|\/ws\//.test(url);

it('petasos backends shows this backend and loads no part of its SDK', async () => {
  const { stdout, modules } = await modulesOf([cli, 'backends']);
  expect(stdout).toContain('vercel');
  expect(modules.filter(ofTheSdk)).toEqual([]);
});

it('petasos run on this machine loads nothing of this backend', async () => {
  const { stdout, modules } = await modulesOf([cli, 'run', '--sandbox', 'local', '--', 'echo hello']);
  expect(stdout).toBe('hello\n');
  expect(modules.filter((url) => ofTheSdk(url) || url.includes('backend-vercel'))).toEqual([]);
});

it('importing this backend loads no part of its SDK', async () => {
  const built = here('../dist/index.js');
  const { modules } = await modulesOf(['--input-type=module', '-e', `await import(${JSON.stringify(built)})`]);
  expect(modules).toContain(pathToFileURL(built).href);
  expect(modules.filter(ofTheSdk)).toEqual([]);
});

it('the SDK is the one that everything was proven with, here and in the emulator', async () => {
  const installed = require(`${sdkName}/package.json`) as { version: string };
  const own = require('../package.json') as { dependencies: Record<string, string> };
  const emulator = await readFile(here('../../../tooling/emulators/src/vercel/index.ts'), 'utf8');
  expect([installed.version, own.dependencies[sdkName]]).toEqual([sdkVersion, sdkVersion]);
  expect(emulator).toContain(`\`${sdkName}\` ${sdkVersion}`);
});
