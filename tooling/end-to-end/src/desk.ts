import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { must } from './process.js';
import type { Registry } from './registry.js';

/** A person's home, with a repository whose history was rewritten, so that its next push must be forced. */
export interface Desk {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

export async function prepareDesk(home: string, registry: Pick<Registry, 'env'>): Promise<Desk> {
  const project = join(home, 'project');
  const prefix = join(home, '.npm-global');
  await mkdir(project, { recursive: true });
  const env = {
    HOME: home,
    USER: 'ann',
    PATH: `${join(prefix, 'bin')}:${process.env.PATH ?? '/usr/bin:/bin'}`,
    LANG: 'C.UTF-8',
    PS1: '$ ',
    npm_config_prefix: prefix,
    ...registry.env,
  };
  const git = (...args: string[]) =>
    must('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@localhost', '-c', 'commit.gpgsign=false', ...args], { cwd: project, env });
  await git('init', '--quiet', '--initial-branch=main');
  await git('init', '--quiet', '--bare', join(home, 'upstream.git'));
  await git('remote', 'add', 'origin', join(home, 'upstream.git'));
  await git('commit', '--quiet', '--allow-empty', '--message=First');
  await git('push', '--quiet', 'origin', 'main');
  await git('commit', '--quiet', '--allow-empty', '--amend', '--message=First, said better');
  return { home, project, env };
}
