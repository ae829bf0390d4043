import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import local from '@petasos/backend-local';
import { admitAll, open } from '@petasos/core';
import { afterEach, beforeEach, expect, it } from 'vitest';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'local-home-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

// Bash takes a socket as its stdin for a remote login, and Node's pipes to a child are sockets.
it('no way of running a command reads the user’s start-up files', async () => {
  for (const name of ['.bashrc', '.bash_profile', '.profile', '.bash_login']) await writeFile(path.join(home, name), `: > "$HOME/read"\n`);
  await using sandbox = await open(local, {
    options: { workdir: home },
    hostEnv: { PATH: process.env.PATH, HOME: home },
    gate: admitAll(),
  });
  expect((await sandbox.exec('echo "$HOME"')).stdout).toBe(`${home}\n`);
  expect((await sandbox.exec('cat', { stdin: 'input' })).stdout).toBe('input');
  expect((await sandbox.exec('wc -c', { stdin: Buffer.alloc(100_000) })).stdout.trim()).toBe('100000');
  expect((await sandbox.shell().exec('echo shell')).stdout).toBe('shell\n');
  const job = await sandbox.jobs.start('echo job');
  expect((await sandbox.jobs.wait(job.id)).exitCode).toBe(0);
  expect(existsSync(path.join(home, 'read'))).toBe(false);
});

it('a command sees of the host what it needs to find itself, and nothing else', async () => {
  await using sandbox = await open(local, {
    options: { workdir: home },
    hostEnv: { PATH: process.env.PATH, HOME: home, LANG: 'C', ACME_TOKEN: 'secret', EDITOR: 'vi', LD_PRELOAD: '/nowhere.so' },
    gate: admitAll(),
  });
  const names = (await sandbox.exec('env | sed "s/=.*//" | sort')).stdout.trim().split('\n');
  expect(names.filter((name) => !/^(?:PETASOS_\w+|PWD|SHLVL|_)$/.test(name))).toEqual(['HOME', 'LANG', 'PATH']);
});
