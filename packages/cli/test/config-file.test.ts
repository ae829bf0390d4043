import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfigFile } from '../src/config/file.js';
import { vocabulary } from '../src/config/vocabulary.js';
import { describeError, errorLine } from '../src/ui/report-error.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petasos-config-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

let count = 0;
async function write(content: string | Uint8Array): Promise<string> {
  count += 1;
  const path = join(directory, `config-${count}.yaml`);
  await writeFile(path, content);
  return path;
}

async function values(content: string): Promise<Record<string, unknown>> {
  const file = await readConfigFile(await write(content));
  return Object.fromEntries((file?.settings ?? []).map(({ key, value }) => [key, value]));
}

describe('what people write', () => {
  it("reads the documents' own snippet", async () => {
    const snippet = `terminal:
  backend: docker
  cwd: "/root"
  docker_image: "nikolaik/python-nodejs:python3.11-nodejs20"
  container_cpu: 1
  container_memory: 5120
  container_disk: 51200
  container_persistent: true
  env_passthrough: []
`;
    expect(await values(snippet)).toEqual({
      'terminal.backend': 'docker',
      'terminal.cwd': '/root',
      'terminal.docker_image': 'nikolaik/python-nodejs:python3.11-nodejs20',
      'terminal.container_cpu': 1,
      'terminal.container_memory': 5120,
      'terminal.container_disk': 51200,
      'terminal.container_persistent': true,
      'terminal.env_passthrough': [],
    });
  });

  it('reads a section without values as if it were absent, and an empty value as not set', async () => {
    expect(await values('terminal:\n')).toEqual({});
    expect(await values('terminal:\n  ssh_key:\n  ssh_port: 22\n')).toEqual({ 'terminal.ssh_port': 22 });
    expect(await values('')).toEqual({});
    expect(await values('# nothing yet\n')).toEqual({});
  });

  it('reads YAML 1.1: bare on and off are booleans, numbers keep their text where text is wanted', async () => {
    expect(await values('terminal: {docker_network: on, container_persistent: no, vercel_runtime: 3.10}')).toEqual({
      'terminal.docker_network': true,
      'terminal.container_persistent': false,
      'terminal.vercel_runtime': '3.10',
    });
  });

  it('reads CRLF, a byte order mark, anchors and quoted numbers', async () => {
    expect(await values('\uFEFFsandbox: ssh\r\nterminal:\r\n  ssh_port: "2222"\r\n')).toEqual({
      sandbox: 'ssh',
      'terminal.ssh_port': 2222,
    });
    expect(await values('terminal:\n  docker_image: &image alpine\n  modal_image: *image\n')).toEqual({
      'terminal.docker_image': 'alpine',
      'terminal.modal_image': 'alpine',
    });
  });

  it("leaves a backend's own options to the backend", async () => {
    expect(await values('options:\n  acme:\n    region: eu\n    tags: [a, 1]\n')).toEqual({
      'options.acme.region': 'eu',
      'options.acme.tags': ['a', 1],
    });
  });

  it('reads a word that YAML takes for a boolean where words are wanted', async () => {
    expect(await values('approvals: {mode: off}\n')).toEqual({ 'approvals.mode': 'off' });
    expect(await values('approvals: {mode: "off"}\n')).toEqual({ 'approvals.mode': 'off' });
  });

  it('reads a map of variables as text', async () => {
    expect(await values('terminal:\n  docker_env: {A: 1, B: true, C: x}\n')).toEqual({
      'terminal.docker_env': { A: '1', B: 'True', C: 'x' },
    });
  });

  it('says that a key has no effect instead of ignoring it', async () => {
    const path = await write('terminal:\n  timeout: 60\n  modal_mode: managed\n');
    expect((await readConfigFile(path))?.notices).toEqual([
      `${path}:3: terminal.modal_mode has no effect: Petasos always talks to Modal directly`,
    ]);
  });

  it('knows that there is no file', async () => {
    expect(await readConfigFile(join(directory, 'absent.yaml'))).toBeUndefined();
  });
});

describe('what is broken', () => {
  it.each([
    [
      'an unknown key',
      'sandbox: local\nterminal:\n  docker_imagee: x\n',
      ':3: terminal.docker_imagee: unknown key. Did you mean terminal.docker_image?',
    ],
    ['a key in the wrong place', 'docker_image: x\n', ':1: docker_image: unknown key. Did you mean terminal.docker_image?'],
    [
      'an unknown section',
      'sandbox: local\nwebserver:\n  a: 1\n',
      ':2: webserver: unknown key. petasos config list --all shows every key.',
    ],
    ['text for a number', 'terminal:\n  timeout: 5m\n', ':2: terminal.timeout: must be a whole number, not "5m"'],
    ['a fraction for a whole number', 'terminal:\n  timeout: 1.5\n', ':2: terminal.timeout: must be a whole number, not 1.5'],
    ['a negative number', 'terminal:\n  timeout: -1\n', ':2: terminal.timeout: must be a whole number, not -1'],
    ['a boolean for text', 'terminal:\n  docker_image: yes\n', ':2: terminal.docker_image: must be text, not true'],
    ['a word that is none of them', 'approvals:\n  mode: maybe\n', ':2: approvals.mode: must be one of off, manual, strict, not "maybe"'],
    ['text for a boolean', 'terminal:\n  docker_network: maybe\n', ':2: terminal.docker_network: must be true or false, not "maybe"'],
    ['text for a list', 'terminal:\n  env_passthrough: PATH\n', ':2: terminal.env_passthrough: must be a list of texts, not "PATH"'],
    ['a list of lists', 'plugins: [[a]]\n', ':1: plugins: must be a list of texts, not a list'],
    ['a section for text', 'sandbox:\n  local: true\n', ':1: sandbox: must be text, not a section'],
    ['text for a section', 'sandbox: local\nterminal: docker\n', ':2: terminal: must be a section with keys of its own'],
    ['a list for a file', '- sandbox\n', ':1: must be a section with keys of its own'],
    ['a tab', 'terminal:\n\tcwd: /x\n', ':2: cwd: a tab is used as indentation. Use spaces.'],
    ['a key that stands twice', 'sandbox: local\nterminal:\n  cwd: /a\n  cwd: /b\n', ':4: cwd: the key stands twice. Keep one of them.'],
    [
      'a colon in a plain value',
      'terminal:\n  cwd: a: b\n',
      ':2: cwd: a value is followed by another key on the same line. Put the value in quotes, or start a new line.',
    ],
    ['a quote that is left open', 'terminal:\n  cwd: "/x\n', ':3: cwd: a quote, bracket or colon is missing. Complete it.'],
    [
      'two places at once',
      'sandbox: local\nterminal:\n  backend: docker\n',
      ':3: terminal.backend: says docker, but sandbox in line 1 says local. Keep one of them.',
    ],
    ['a key that is no word', '? [a, b]\n: c\n', ':1: a key must be a plain word'],
  ])('%s is told with file, line and key', async (_what, content, told) => {
    const path = await write(content);
    expect(await failure(path)).toBe(`petasos: ${path}${told}`);
  });

  it('a file that is not text', async () => {
    const path = await write(Uint8Array.from([0x73, 0xff, 0xfe, 0x00]));
    expect(await failure(path)).toBe(`petasos: ${path}: is not UTF-8 text. Save it as UTF-8.`);
  });

  it('a directory in its place', async () => {
    const path = join(directory, 'folder.yaml');
    await mkdir(path);
    expect(await failure(path)).toBe(`petasos: ${path}: is a directory. Move it away: the configuration is a file.`);
  });
});

async function failure(path: string): Promise<string> {
  const error: unknown = await readConfigFile(path).then(
    () => new Error('it was read'),
    (reason: unknown) => reason,
  );
  return errorLine(describeError(error));
}

it('the vocabulary has every key once', () => {
  const keys = vocabulary.map(({ key }) => key);
  expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
});
