import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const here = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));
const cli = here('../../cli/bin/petasos.cjs');
const built = here('../dist/index.js');

/** Writes down every module that any Node process below this one resolves. */
const hooks = (log: string) => `import { appendFileSync } from 'node:fs';
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  appendFileSync(${JSON.stringify(log)}, found.url + '\\n');
  return found;
}`;
const witness = `import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);`;

let directory: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'daytona-lazy-'));
  await writeFile(path.join(directory, 'hooks.mjs'), hooks(path.join(directory, 'modules')));
  await writeFile(path.join(directory, 'witness.mjs'), witness);
  env = {
    PATH: process.env.PATH,
    HOME: directory,
    NODE_OPTIONS: `--import file://${path.join(directory, 'witness.mjs')}`,
  };
  await mkdir(path.join(directory, '.config', 'petasos'), { recursive: true });
  await writeFile(path.join(directory, '.config', 'petasos', 'config.yaml'), `plugins: [${here('..')}]\n`);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

const loaded = async () => (await readFile(path.join(directory, 'modules'), 'utf8')).split('\n');

describe('no part of the SDK is loaded', () => {
  it('by petasos backends, which reads what this backend declares', async () => {
    const { stdout } = await run(process.execPath, [cli, 'backends'], { cwd: directory, env });
    expect(stdout).toContain('daytona');
    expect((await loaded()).filter((url) => url.includes('@daytona'))).toEqual([]);
  });

  it('by petasos run on this machine', async () => {
    const { stdout } = await run(process.execPath, [cli, 'run', '--sandbox', 'local', '--', 'echo hello'], { cwd: directory, env });
    expect(stdout).toBe('hello\n');
    expect((await loaded()).filter((url) => url.includes('@daytona') || url.includes('backend-daytona'))).toEqual([]);
  });

  it('by importing this backend', async () => {
    await run(process.execPath, ['--input-type=module', '-e', `await import(${JSON.stringify(built)})`], { cwd: directory, env });
    expect(await loaded()).toContain(pathToFileURL(built).href);
    expect((await loaded()).filter((url) => url.includes('@daytona'))).toEqual([]);
  });
});
