import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/config.js';
import { sessionSettings } from '../src/config/settings.js';
import { contextIn } from './support/context.js';
import { writeText } from './support/packages.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'petasos-layers-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const userFile = (text: string) => writeText(join(home, '.config/petasos/config.yaml'), text);

describe('layers', () => {
  it('the default holds when nothing is said', async () => {
    const config = await loadConfig(contextIn(home));
    expect(config.settings).toEqual([{ key: 'sandbox', value: 'local', layer: 'default', where: 'default' }]);
  });

  it('the flag is above the environment, that above the file, that above the default', async () => {
    await userFile('sandbox: ssh\n');
    const env = { TERMINAL_ENV: 'docker' };
    expect((await loadConfig(contextIn(home))).get('sandbox')).toMatchObject({
      value: 'ssh',
      layer: 'user',
      where: `${home}/.config/petasos/config.yaml:1`,
    });
    expect((await loadConfig(contextIn(home, { env }))).get('sandbox')).toMatchObject({
      value: 'docker',
      layer: 'environment',
      where: 'TERMINAL_ENV',
    });
    expect((await loadConfig(contextIn(home, { env: { ...env, PETASOS_BACKEND: 'modal' } }))).get('sandbox')).toMatchObject({
      value: 'modal',
      where: 'PETASOS_BACKEND',
    });
    expect((await loadConfig(contextIn(home, { env, sandbox: 'daytona' }))).get('terminal.backend')).toMatchObject({
      value: 'daytona',
      layer: 'flag',
    });
  });

  it('each key is layered by itself, and an empty variable is no answer', async () => {
    await userFile('terminal:\n  cwd: /file\n  timeout: 10\n');
    const config = await loadConfig(contextIn(home, { env: { TERMINAL_CWD: '/variable', TERMINAL_TIMEOUT: '' } }));
    expect(config.get('terminal.cwd')?.value).toBe('/variable');
    expect(config.get('terminal.timeout')?.value).toBe(10);
  });

  it('other names of a backend mean the same one', async () => {
    await userFile('terminal:\n  backend: vercel_sandbox\n');
    expect((await loadConfig(contextIn(home))).get('sandbox')?.value).toBe('vercel');
  });

  it('relative XDG directories are ignored', async () => {
    await userFile('sandbox: ssh\n');
    expect((await loadConfig(contextIn(home, { env: { XDG_CONFIG_HOME: 'here' } }))).get('sandbox')?.value).toBe('ssh');
  });
});

describe('variables', () => {
  it('are read as every program reads them, and odd ones are pointed out', async () => {
    const env = {
      TERMINAL_DOCKER_NETWORK: 'on',
      TERMINAL_CONTAINER_PERSISTENT: 'Yes',
      TERMINAL_DOCKER_VOLUMES: '/a:/b, /c:/d',
      TERMINAL_SSH_PORT: ' 2_222 ',
    };
    const config = await loadConfig(contextIn(home, { env }));
    expect(config.get('terminal.docker_network')?.value).toBe(false);
    expect(config.get('terminal.container_persistent')?.value).toBe(true);
    expect(config.get('terminal.docker_volumes')?.value).toEqual(['/a:/b', '/c:/d']);
    expect(config.get('terminal.ssh_port')?.value).toBe(2222);
    expect(config.notices).toEqual([
      'TERMINAL_DOCKER_VOLUMES is not JSON; it is read as a list with commas',
      'TERMINAL_DOCKER_NETWORK "on" counts as false; only true, 1 and yes are true',
    ]);
  });

  it('of other backends may be broken', async () => {
    const config = await loadConfig(contextIn(home, { env: { TERMINAL_DOCKER_VOLUMES: '[', TERMINAL_CONTAINER_MEMORY: 'lots' } }));
    expect(sessionSettings(config, 'local').options).toEqual({});
    expect(() => sessionSettings(config, 'docker')).toThrow('TERMINAL_CONTAINER_MEMORY: must be a whole number, not "lots"');
  });

  it('that concern every backend may not', async () => {
    const config = await loadConfig(contextIn(home, { env: { TERMINAL_TIMEOUT: '5m' } }));
    expect(() => sessionSettings(config, 'local')).toThrow('TERMINAL_TIMEOUT: must be a whole number, not "5m"');
  });
});

describe('what a session gets', () => {
  it("is the backend's own options and nobody else's", async () => {
    await userFile(`terminal:
  docker_image: alpine
  docker_mount_cwd_to_workspace: true
  ssh_host: example.test
  container_cpu: 2
  container_memory: 0
options:
  acme: {region: eu}
  docker: {socket: /run/x}
`);
    const config = await loadConfig(contextIn(home));
    expect(sessionSettings(config, 'docker').options).toEqual({ cpus: 2, image: 'alpine', mountCwdToWorkspace: true, socket: '/run/x' });
    expect(sessionSettings(config, 'ssh').options).toEqual({ host: 'example.test' });
    expect(sessionSettings(config, 'acme').options).toEqual({ region: 'eu' });
    expect(sessionSettings(config, 'local').options).toEqual({});
  });

  it('has times in milliseconds, and no directory for words that mean the own one', async () => {
    await userFile('terminal: {cwd: ".", timeout: 180, lifetime_seconds: 60, daemon_term_grace_seconds: 0.5, env_passthrough: [CI]}\n');
    expect(sessionSettings(await loadConfig(contextIn(home)), 'local')).toMatchObject({
      cwd: undefined,
      timeoutMs: 180_000,
      idleLimitMs: 60_000,
      graceMs: 500,
      envPassthrough: ['CI'],
    });
    await userFile('terminal: {cwd: /srv, timeout: 0}\n');
    expect(sessionSettings(await loadConfig(contextIn(home)), 'local')).toMatchObject({ cwd: '/srv', timeoutMs: undefined });
  });
});
