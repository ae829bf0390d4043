import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveTarget } from '../src/connection/resolve.js';
import type { ConnectionOptions } from '../src/connection/target.js';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'ssh-home-'));
  await mkdir(path.join(home, '.ssh', 'more'), { recursive: true });
});

afterEach(() => rm(home, { recursive: true, force: true }));

const config = (text: string, name = 'config') => writeFile(path.join(home, '.ssh', name), text);
const resolve = (host: string, options: ConnectionOptions = {}, env: Record<string, string> = {}) =>
  resolveTarget({ host, configFile: '~/.ssh/config', ...options }, { HOME: home, USER: 'me', ...env });

describe('a target', () => {
  it('comes from the first section that says something, whatever the case of its keywords', async () => {
    await config(`Host build*.example !build2.example
  hostname %h.internal
  USER builder
  Port 2201
  IdentityFile ~/.ssh/build
Host *
  User nobody
  IdentityFile ~/.ssh/%r_key
  ServerAliveInterval 7
  ConnectTimeout 2m
  StrictHostKeyChecking yes
  HashKnownHosts yes
  UserKnownHostsFile ~/.ssh/a "~/.ssh/b c"
`);
    expect(await resolve('build1.example')).toMatchObject({
      host: 'build1.example.internal',
      user: 'builder',
      port: 2201,
      identityFiles: [`${home}/.ssh/build`, `${home}/.ssh/builder_key`],
      identitiesNamed: true,
      hostKeyName: '[build1.example.internal]:2201',
      keepaliveMs: 7_000,
      connectTimeoutMs: 120_000,
      hostKeys: 'strict',
      hashKnownHosts: true,
      knownHosts: [`${home}/.ssh/a`, `${home}/.ssh/b c`, '/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2'],
    });
    expect(await resolve('build2.example')).toMatchObject({
      host: 'build2.example',
      user: 'nobody',
      port: 22,
      hostKeyName: 'build2.example',
    });
  });

  it('reads included files where they are named, and only for the hosts of the section', async () => {
    await config(`Include more/*.conf
Host a b
  Include section
  Port 3
Host *
  User last
`);
    await config('Host a\n  User included\nHost c\n  Port 4\n', 'more/1.conf');
    await config('Port 5\n', 'more/.hidden.conf');
    await config('Host b\n  Port 6\n', 'section');
    expect(await resolve('a')).toMatchObject({ user: 'included', port: 3 });
    expect(await resolve('b')).toMatchObject({ user: 'last', port: 6 });
    expect(await resolve('c')).toMatchObject({ user: 'last', port: 4 });
  });

  it('lets Match see what has been settled so far', async () => {
    await config(
      'Host short\n  HostName long.example\n  User deploy\nMatch host long.example user deploy\n  Port 9\nMatch exec "true"\n  Port 10\n',
    );
    expect(await resolve('short')).toMatchObject({ host: 'long.example', port: 9 });
    expect(await resolve('other')).toMatchObject({ port: 22 });
  });

  it('takes options before variables, and variables before the configuration', async () => {
    await config('Host there\n  User configured\n  Port 1\n  IdentityFile ~/.ssh/configured\n');
    const env = { TERMINAL_SSH_HOST: 'there', TERMINAL_SSH_USER: 'from-env', TERMINAL_SSH_PORT: '2', TERMINAL_SSH_KEY: '~/env-key' };
    const options = { configFile: '~/.ssh/config' };
    expect(await resolveTarget(options, { HOME: home, ...env })).toMatchObject({
      host: 'there',
      user: 'from-env',
      port: 2,
      identityFiles: [`${home}/env-key`, `${home}/.ssh/configured`],
    });
    expect(await resolveTarget({ ...options, host: 'there', user: 'given', port: 3, key: '/key' }, { HOME: home, ...env })).toMatchObject({
      user: 'given',
      port: 3,
      identityFiles: ['/key', `${home}/.ssh/configured`],
    });
    expect(await resolve('there', {}, { TERMINAL_SSH_USER: '', TERMINAL_SSH_KEY: '' })).toMatchObject({ user: 'configured' });
  });

  it('has the keys of ssh itself where nobody names one', async () => {
    const target = await resolve('x');
    expect(target.identitiesNamed).toBe(false);
    expect(target.identityFiles).toEqual(['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => `${home}/.ssh/${name}`));
  });

  it('asks the agent that the configuration names, or none', async () => {
    await config('Host none\n  IdentityAgent none\nHost other\n  IdentityAgent ~/agent.sock\nHost variable\n  IdentityAgent $MY_AGENT\n');
    const env = { SSH_AUTH_SOCK: '/auth.sock', MY_AGENT: '/mine.sock' };
    expect((await resolve('x', {}, env)).agent).toBe('/auth.sock');
    expect((await resolve('none', {}, env)).agent).toBeUndefined();
    expect((await resolve('other', {}, env)).agent).toBe(`${home}/agent.sock`);
    expect((await resolve('variable', {}, env)).agent).toBe('/mine.sock');
    expect((await resolve('x', { agent: false }, env)).agent).toBeUndefined();
  });

  it('passes the machines of ProxyJump, each with its own settings', async () => {
    await config(`Host inner
  HostName inner.internal
  ProxyJump ops@gate:2222,middle
Host gate
  HostName gate.example
  ProxyJump outer
Host middle
  Port 99
  ProxyJump never
Host straight
  ProxyJump none
`);
    const { jumps } = await resolve('inner');
    expect(jumps.map(({ host, port, user }) => [host, port, user])).toEqual([
      ['outer', 22, 'me'],
      ['gate.example', 2222, 'ops'],
      ['middle', 99, 'me'],
    ]);
    expect((await resolve('straight')).jumps).toEqual([]);
  });

  it('leads through the command of ProxyCommand, or the machines of ProxyJump, whichever is named first', async () => {
    await config(`Host command
  HostName inner.internal
  ProxyCommand sh -c "exec relay --to \\"$1\\" --rate '100%%' --port=%p" -- %h %r@%n
Host first
  ProxyCommand nc %h 22
  ProxyJump gate
Host second
  ProxyJump gate
  ProxyCommand nc %h 22
Host gate
  ProxyCommand tunnel %h
Host straight
  ProxyCommand none
Host *
  ProxyCommand last %h
`);
    const way = async (host: string) => {
      const { proxyCommand, jumps } = await resolve(host);
      return [proxyCommand, ...jumps.map((jump) => [jump.host, jump.proxyCommand])];
    };
    expect(await way('command')).toEqual([`sh -c "exec relay --to \\"$1\\" --rate '100%' --port=22" -- inner.internal me@command`]);
    expect(await way('first')).toEqual(['nc first 22']);
    expect(await way('second')).toEqual([undefined, ['gate', 'tunnel gate']]);
    expect(await way('straight')).toEqual([undefined]);
  });

  it('puts no name into the line of a ProxyCommand that a shell could take for more', async () => {
    await config('Host *\n  ProxyCommand nc %h %p\n');
    for (const host of ['a;touch$IFS/tmp/x', '$(id)', 'a`id`', 'a|b', "a'b", 'a&b', '(a)', 'a<b', 'a\\b', '~a']) {
      await expect(resolve(host)).rejects.toMatchObject({
        code: 'invalid-options',
        message: expect.stringContaining('part of a ProxyCommand'),
      });
    }
    expect((await resolve('node-1.cluster_2')).proxyCommand).toBe('nc node-1.cluster_2 22');
    expect((await resolve('fe80::1%eth0')).proxyCommand).toBe('nc fe80::1%eth0 22');
  });

  it('is refused where it leads in a circle, through nonsense, or nowhere', async () => {
    await config(
      'Host a\n  ProxyJump b\nHost b\n  ProxyJump a\nHost c\n  ProxyCommand nc %d\nHost d\n  Port many\nHost e\n  Include config\n',
    );
    await expect(resolve('a')).rejects.toMatchObject({ code: 'invalid-options', message: expect.stringContaining('jumps') });
    await expect(resolve('c')).rejects.toMatchObject({ code: 'invalid-options', message: expect.stringContaining('%d') });
    await expect(resolve('d')).rejects.toMatchObject({ code: 'invalid-options', message: expect.stringContaining('many') });
    await expect(resolve('e')).rejects.toMatchObject({ code: 'invalid-options', message: expect.stringContaining('includes itself') });
    await expect(resolveTarget({ configFile: false }, { HOME: home })).rejects.toMatchObject({ code: 'invalid-options' });
  });
});
