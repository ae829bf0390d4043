import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backendSource, goodPackage, writePackage, writeText } from './support/packages.js';
import { type Person, person } from './support/petasos.js';
import { terminalOf } from './support/terminal.js';

let me: Person;
let file: string;
beforeEach(async () => {
  me = await person();
  file = join(me.work, 'petasos.yaml');
});

const settings = async (cwd = me.work) => {
  const { stdout } = await me.run(['config', 'list', '--json'], { cwd });
  return JSON.parse(stdout) as { settings: { key: string; value: unknown; layer: string; where: string }[]; notices: string[] };
};
const configured = async (key: string, cwd?: string) => (await settings(cwd)).settings.find((setting) => setting.key === key)?.value;
const userFile = (text: string) => writeText(join(me.home, '.config/petasos/config.yaml'), text);

describe('before a project is trusted', () => {
  it('its file may tighten', async () => {
    await userFile('terminal: {timeout: 600, env_passthrough: [CI, LANG], docker_network: true, container_memory: 2048}\n');
    await writeText(
      file,
      'approvals: {mode: strict}\nterminal: {timeout: 60, env_passthrough: [CI], docker_network: false, container_memory: 512, container_cpu: 1}\n',
    );
    const { settings: found, notices } = await settings();
    expect(notices).toEqual([]);
    expect(Object.fromEntries(found.map(({ key, value, layer }) => [key, [value, layer]]))).toEqual({
      sandbox: ['local', 'default'],
      'approvals.mode': ['strict', 'project'],
      'terminal.timeout': [60, 'project'],
      'terminal.env_passthrough': [['CI'], 'project'],
      'terminal.docker_network': [false, 'project'],
      'terminal.container_memory': [512, 'project'],
      'terminal.container_cpu': [1, 'project'],
    });
    expect(found.find(({ key }) => key === 'terminal.timeout')?.where).toBe(`${file}:2`);
  });

  it.each([
    ['another place', 'sandbox: ssh\n', 'sandbox', 'local'],
    ['looser approvals', 'approvals: {mode: off}\n', 'approvals.mode', 'manual'],
    ['no record', 'approvals: {record: false}\n', 'approvals.record', undefined],
    ['more time', 'terminal: {timeout: 900}\n', 'terminal.timeout', 600],
    ['no limit of time', 'terminal: {timeout: 0}\n', 'terminal.timeout', 600],
    ['a variable', 'terminal: {env_passthrough: [CI, AWS_SECRET_ACCESS_KEY]}\n', 'terminal.env_passthrough', ['CI']],
    ['an image', 'terminal: {docker_image: evil}\n', 'terminal.docker_image', undefined],
    ['a mount', 'terminal: {docker_volumes: ["/:/host"]}\n', 'terminal.docker_volumes', undefined],
    ['a host', 'terminal: {ssh_host: evil.example}\n', 'terminal.ssh_host', undefined],
    ['a directory', 'terminal: {cwd: /etc}\n', 'terminal.cwd', undefined],
    ['a plugin', 'plugins: [./evil]\n', 'plugins', undefined],
    ['an option of a backend', 'options: {acme: {region: x}}\n', 'options.acme.region', undefined],
  ])('its file may not name %s', async (_what, text, key, value) => {
    await userFile('approvals: {mode: manual}\nterminal: {timeout: 600, env_passthrough: [CI]}\n');
    await writeText(file, text);
    const found = await settings();
    expect(found.settings.find((setting) => setting.key === key)?.value).toEqual(value);
    expect(found.notices).toEqual([
      `${file}:1: ${key} is left out: a project may say this only once it is trusted. Look at the file, then: petasos trust`,
    ]);
  });

  it('a broken file of it stops nothing', async () => {
    await writeText(file, 'sandbox: [\n');
    const { status } = await me.run(['run', '--', 'true']);
    expect(status).toBe(0);
    expect((await settings()).notices[0]).toMatch(/petasos\.yaml:\d+: .*the file is left out, since its project is not trusted$/);
  });

  it('none of its variables are read into it', async () => {
    await writeText(file, 'terminal: {docker_volumes: ["${HOME}"]}\n');
    expect(await configured('terminal.docker_volumes')).toBeUndefined();
  });

  it('nothing of it is imported', async () => {
    const proof = join(me.home, 'imported');
    const source = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(proof)}, '');\n${backendSource('acme')}`;
    await writePackage(join(me.work, 'node_modules/petasos-backend-acme'), { ...goodPackage('petasos-backend-acme', 'acme'), source });
    await writeText(join(me.work, 'package.json'), '{"dependencies": {"petasos-backend-acme": "1.0.0"}}');
    await writeText(file, 'sandbox: acme\nplugins: [petasos-backend-acme]\n');
    for (const args of [['backends'], ['doctor'], ['plugin', 'ls'], ['run', '--', 'true'], ['where'], ['ls']]) await me.run(args);
    expect((await me.run(['run', '--sandbox', 'acme', '--', 'true'])).stderr).toContain('no backend is named "acme"');
    await expect(readable(proof)).resolves.toBe(false);
  });
});

async function readable(path: string): Promise<boolean> {
  const { access } = await import('node:fs/promises');
  return access(path).then(
    () => true,
    () => false,
  );
}

describe('once it is trusted', () => {
  it('its file is a layer above the user’s, until it changes', async () => {
    await userFile('sandbox: local\nterminal: {timeout: 60}\n');
    await writeText(file, 'terminal: {timeout: 900, docker_image: "img-${HOME}"}\n');
    expect(await me.run(['trust', '--yes'])).toMatchObject({ status: 0, stderr: `${me.work} is trusted.\n` });
    expect(await configured('terminal.timeout')).toBe(900);
    expect(await configured('terminal.docker_image')).toBe(`img-${me.home}`);
    const below = join(me.work, 'deep/below');
    await mkdir(below, { recursive: true });
    expect(await configured('terminal.timeout', below)).toBe(900);

    await writeText(file, 'terminal: {timeout: 901}\n');
    const changed = await settings();
    expect(changed.settings.find(({ key }) => key === 'terminal.timeout')?.value).toBe(60);
    expect(changed.notices).toEqual([
      `${file}:1: terminal.timeout is left out: the file has changed since the project was trusted. Look at the file, then: petasos trust`,
    ]);
    await me.run(['trust', '--yes']);
    expect(await configured('terminal.timeout')).toBe(901);
    await me.run(['trust', '--remove']);
    expect(await configured('terminal.timeout')).toBe(60);
  });

  it('a broken file is told', async () => {
    await writeText(file, 'terminal: {timeout: soon}\n');
    expect((await me.run(['trust', '--yes'])).stderr).toBe(`petasos: ${file}:1: terminal.timeout: must be a whole number, not "soon"\n`);
  });

  it('its backends are found, and one that comes later is not', async () => {
    await writePackage(join(me.work, 'node_modules/petasos-backend-acme'), goodPackage('petasos-backend-acme', 'acme'));
    await writeText(join(me.work, 'package.json'), '{"dependencies": {"petasos-backend-acme": "1.0.0"}}');
    const { stdout } = await me.run(['trust', '--yes', '--json']);
    expect(JSON.parse(stdout)).toEqual({ directory: me.work, trusted: true, backends: ['petasos-backend-acme'] });
    expect((await me.run(['doctor', 'acme'])).stdout).toContain('fine');
    await writePackage(join(me.work, 'node_modules/petasos-backend-late'), goodPackage('petasos-backend-late', 'late'));
    await writeText(join(me.work, 'package.json'), '{"dependencies": {"petasos-backend-acme": "1.0.0", "petasos-backend-late": "1.0.0"}}');
    expect((await me.run(['doctor', 'late'])).stderr).toContain('no backend is named "late"');
  });

  it('needs somebody who says so', async () => {
    await writeText(file, 'sandbox: ssh\n');
    expect(await me.run(['trust'])).toMatchObject({
      status: 2,
      stderr: `${file}:\n  sandbox: ssh\npetasos: trust needs somebody to answer. Look at the file, then: petasos trust --yes\n`,
    });
    const screen = terminalOf(me, 'petasos trust; echo "status $?"', { NO_COLOR: '1' });
    await screen.sees('sandbox: ssh');
    await screen.sees('Trust ');
    screen.write('y');
    await screen.sees('status 0');
    expect(await configured('sandbox')).toBe('ssh');
  });

  it('there is nothing to trust in an empty directory', async () => {
    await rm(file, { force: true });
    await writeFile(join(me.work, 'package.json'), '{}');
    expect((await me.run(['trust', '--yes'])).stderr).toContain('has nothing to trust');
  });
});
