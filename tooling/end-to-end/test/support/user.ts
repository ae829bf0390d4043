import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { must, type Ran, run } from '../../src/process.js';

export interface User {
  readonly home: string;
  /** An empty folder. */
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  npm(args: readonly string[], cwd?: string): Promise<string>;
  /** The globally installed `petasos`. */
  petasos(args: readonly string[], cwd?: string): Promise<Ran>;
}

/** Somebody outside of every workspace, with an npm that installs from the local registry. */
export async function user(): Promise<User> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'petasos-user-')));
  const work = join(home, 'work');
  await mkdir(work);
  const prefix = join(home, 'global');
  const env = {
    HOME: home,
    PATH: `${join(prefix, 'bin')}:${process.env.PATH ?? ''}`,
    LANG: 'C.UTF-8',
    npm_config_prefix: prefix,
    // What is not ours was fetched before, by this or another test.
    npm_config_cache: join(tmpdir(), `petasos-npm-cache-${process.getuid?.() ?? 0}`),
    npm_config_prefer_offline: 'true',
    ...inject('registry'),
  };
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 3 }));
  return {
    home,
    work,
    env,
    npm: (args, cwd = work) => must('npm', args, { cwd, env }),
    petasos: (args, cwd = work) => run(join(prefix, 'bin/petasos'), args, { cwd, env }),
  };
}
