import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Change, editConfig, setValue, unsetValue } from '../src/config/edit.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petasos-edit-'));
  path = join(directory, 'config.yaml');
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function edited(before: string, change: Change): Promise<string> {
  await writeFile(path, before);
  await editConfig(path, change);
  return readFile(path, 'utf8');
}

const commented = `# mine
sandbox: local # for now

terminal:
  # long builds
  timeout: 900 # seconds
  env_passthrough:
    - CI # the runner
    - LANG
`;

describe('set', () => {
  it('changes the value and nothing else', async () => {
    expect(await edited(commented, setValue('sandbox', 'docker'))).toBe(commented.replace('local', 'docker'));
    expect(await edited(commented, setValue('terminal.timeout', 60))).toBe(commented.replace('900', '60'));
  });

  it('leaves even unusual ways of writing alone', async () => {
    const unusual = "terminal:   {cwd: '/a',   timeout: 5}\nplugins:\n-   x\n";
    expect(await edited(unusual, setValue('terminal.cwd', '/b, c'))).toBe(unusual.replace("'/a'", '"/b, c"'));
    expect(await edited('terminal:\n        cwd: |\n          /a\n', setValue('terminal.cwd', '/b'))).toContain('cwd: /b\n');
  });

  it('adds a key to its section, and a section to the file', async () => {
    expect(await edited(commented, setValue('terminal.cwd', '/srv'))).toBe(`${commented}  cwd: /srv\n`);
    expect(await edited('# mine\nsandbox: local\n', setValue('options.acme.region', 'eu'))).toBe(
      '# mine\nsandbox: local\noptions:\n  acme:\n    region: eu\n',
    );
  });

  it('keeps the comments of a file that has no keys yet', async () => {
    expect(await edited('# mine\n', setValue('sandbox', 'ssh'))).toBe('# mine\n\nsandbox: ssh\n');
  });

  it('makes the file and its directory, for its owner only', async () => {
    path = join(directory, 'new', 'petasos', 'config.yaml');
    expect(await editConfig(path, setValue('sandbox', 'docker'))).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('sandbox: docker\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'new', 'petasos'))).mode & 0o777).toBe(0o700);
  });

  it('fills a section that has no keys yet', async () => {
    expect(await edited('terminal:\n', setValue('terminal.cwd', '/srv'))).toBe('terminal:\n  cwd: /srv\n');
  });

  it('writes the long form where the file has it, so that two forms never disagree', async () => {
    expect(await edited('terminal:\n  backend: local\n', setValue('sandbox', 'docker'))).toBe('terminal:\n  backend: docker\n');
    expect(await edited('sandbox: local\n', setValue('terminal.backend', 'docker'))).toBe('sandbox: docker\n');
  });

  it('quotes text that YAML would read as something else', async () => {
    const after = await edited('', setValue('terminal.docker_image', 'yes'));
    expect(after).toBe('terminal:\n  docker_image: "yes"\n');
  });

  it('keeps CRLF and a byte order mark', async () => {
    expect(await edited('\uFEFFsandbox: local\r\nplugins: []\r\n', setValue('sandbox', 'ssh'))).toBe(
      '\uFEFFsandbox: ssh\r\nplugins: []\r\n',
    );
  });

  it('keeps permissions, and a link a link', async () => {
    const target = join(directory, 'dotfiles.yaml');
    await writeFile(target, 'sandbox: local\n', { mode: 0o640 });
    await symlink(target, path);
    await editConfig(path, setValue('sandbox', 'ssh'));
    expect((await lstat(path)).isSymbolicLink()).toBe(true);
    expect(await readFile(target, 'utf8')).toBe('sandbox: ssh\n');
    expect((await stat(target)).mode & 0o777).toBe(0o640);
  });

  it('does not touch a file that is broken', async () => {
    const broken = 'sandbox: local\n\tterminal: x\n';
    await writeFile(path, broken);
    await expect(editConfig(path, setValue('sandbox', 'ssh'))).rejects.toThrow(`${path}:2: terminal: a tab is used as indentation`);
    expect(await readFile(path, 'utf8')).toBe(broken);
    expect(await readdir(directory)).toEqual(['config.yaml']);
  });

  it('does not write what it could not read back', async () => {
    await writeFile(path, 'sandbox: local\n');
    await expect(editConfig(path, setValue('terminal.timeout', 'soon'))).rejects.toThrow('terminal.timeout: must be a whole number');
    expect(await readFile(path, 'utf8')).toBe('sandbox: local\n');
  });
});

describe('unset', () => {
  it('takes the key, and a section that it leaves empty', async () => {
    expect(await edited('sandbox: local\nterminal:\n  cwd: /x\n', unsetValue('terminal.cwd'))).toBe('sandbox: local\n');
    expect(await edited('terminal:\n  cwd: /x\n  timeout: 5\n', unsetValue('terminal.cwd'))).toBe('terminal:\n  timeout: 5\n');
  });

  it('leaves comments when the last key goes', async () => {
    expect(await edited('# mine\n\nsandbox: local\n', unsetValue('sandbox'))).toBe('# mine\n');
  });

  it('says when there was nothing', async () => {
    await writeFile(path, commented);
    expect(await editConfig(path, unsetValue('terminal.cwd'))).toBe(false);
    expect(await readFile(path, 'utf8')).toBe(commented);
  });
});
