import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/config.js';
import { editEnvFile } from '../src/config/env-edit.js';
import { readEnvFile } from '../src/config/env-file.js';
import { describeError, errorLine } from '../src/ui/report-error.js';
import { contextIn } from './support/context.js';
import { writeText } from './support/packages.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'petasos-env-'));
  path = join(directory, '.env');
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function read(content: string | Uint8Array, env: Record<string, string> = {}): Promise<Record<string, string>> {
  await writeFile(path, content, { mode: 0o600 });
  const file = await readEnvFile(path, env);
  return Object.fromEntries((file?.entries ?? []).map(({ name, value }) => [name, value]));
}

async function told(): Promise<string> {
  const error: unknown = await readEnvFile(path, {}).then(
    () => new Error('it was read'),
    (reason: unknown) => reason,
  );
  return errorLine(describeError(error));
}

describe('what people write', () => {
  it.each<[string, string, Record<string, string>]>([
    [
      'the plain lines of the documents',
      'TERMINAL_SSH_HOST=my-server.example.com\nTERMINAL_SSH_KEY=~/.ssh/id_rsa\n',
      {
        TERMINAL_SSH_HOST: 'my-server.example.com',
        TERMINAL_SSH_KEY: '~/.ssh/id_rsa',
      },
    ],
    ['comments, blank lines and export', '# mine\n\n  export A=1\nexport\tB=2 # why\n#C=3\n', { A: '1', B: '2' }],
    ['a # within a value', 'A=a#b\nB=#\nC=x #y\nD="a # b"\n', { A: 'a#b', B: '', C: 'x', D: 'a # b' }],
    ['blanks around', 'A = b c \nB=\t\n', { A: 'b c', B: '' }],
    ['quotes', `A="x y"\nB='x "y"'\nC="say \\"hi\\""\nD='a\\nb'\n`, { A: 'x y', B: 'x "y"', C: 'say "hi"', D: 'a\\nb' }],
    ['escapes in double quotes', 'A="a\\nb\\tc\\\\d\\$E"\n', { A: 'a\nb\tc\\d$E' }],
    [
      'values over several lines',
      'KEY="-----BEGIN\nabc\n-----END"\nB=\'1\n2\'\nC=3\n',
      { KEY: '-----BEGIN\nabc\n-----END', B: '1\n2', C: '3' },
    ],
    ['a second = and a comment after quotes', 'A=b=c\nB="x" # y\n', { A: 'b=c', B: 'x' }],
    ['CRLF and a byte order mark', '\uFEFFA=1\r\nB="2\r\n3"\r\n', { A: '1', B: '2\n3' }],
    [
      'references',
      'A=1\nB=${A}2\nC="${A}${HOST}"\nD=\'${A}\'\nE="\\${A}"\nF=${UNSET}\n',
      {
        A: '1',
        B: '12',
        C: '1here',
        D: '${A}',
        E: '${A}',
        F: '${UNSET}',
      },
    ],
    ['a file without its last line feed', 'A=1', { A: '1' }],
  ])('%s', async (_what, content, expected) => {
    expect(await read(content, { HOST: 'here' })).toEqual(expected);
  });

  it('UTF-16 with a mark, and Latin-1', async () => {
    expect(await read(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('A=ü\n', 'utf16le')]))).toEqual({ A: 'ü' });
    expect(await read(Buffer.from('A=\xfc\n', 'latin1'))).toEqual({ A: 'ü' });
  });

  it('the last of two, and says so', async () => {
    await writeFile(path, 'A=1\nA=2\n', { mode: 0o600 });
    expect(await readEnvFile(path, {})).toMatchObject({
      entries: [{ name: 'A', value: '2', line: 2 }],
      notices: [`${path}:2: A stands in line 1 too; this one holds`],
    });
  });

  it('a file that others can read, and says so', async () => {
    await writeFile(path, 'A=1\n');
    await chmod(path, 0o644);
    expect((await readEnvFile(path, {}))?.notices).toEqual([`${path} can be read by others; make it yours alone: chmod 600 '${path}'`]);
  });
});

describe('what is broken is told with file, line and name, and never with a value', () => {
  it.each([
    ['a line that is none', 'A=1\nhunter2\n', ':2: must be NAME=value. Correct the line, or start it with #.'],
    ['a name that is none', 'A-B=hunter2\n', ':1: A-B: is not the name of a variable. Use letters, digits and _.'],
    ['a quote that is left open', 'A=1\n\nB="hunter2\nC=3\n', ':3: B: its quote is never closed. Add " at the end of the value.'],
    ['a single quote that is left open', "A='hunter2\n", ":1: A: its quote is never closed. Add ' at the end of the value."],
    ['text after a quote', 'A="x"hunter2\n', ':1: A: something follows the closing quote. Put the whole value in quotes.'],
    ['the right line after a value of several', 'A="1\n2\n3"\nB\n', ':4: must be NAME=value. Correct the line, or start it with #.'],
  ])('%s', async (_what, content, message) => {
    await writeFile(path, content, { mode: 0o600 });
    const text = await told();
    expect(text).toBe(`petasos: ${path}${message}`);
    expect(text).not.toContain('hunter2');
  });

  it('a directory in its place', async () => {
    await mkdir(path);
    expect(await told()).toBe(`petasos: ${path}: is a directory. Move it away: secrets are kept in a file of this name.`);
  });
});

describe('writing', () => {
  it('changes one variable, keeps the rest, and makes the file its owner’s alone', async () => {
    await writeFile(path, '# mine\nA=1\nKEY="a\nb"\nC=3\n', { mode: 0o644 });
    await editEnvFile(path, { KEY: 'new', C: undefined, D: 'x y"$z\n' });
    expect(await readFile(path, 'utf8')).toBe('# mine\nA=1\nKEY=new\nD="x y\\"\\$z\\n"\n');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const file = await readEnvFile(path, {});
    expect(file?.entries.map(({ name, value }) => [name, value])).toEqual([
      ['A', '1'],
      ['KEY', 'new'],
      ['D', 'x y"$z\n'],
    ]);
  });

  it('touches no file that is broken', async () => {
    await writeFile(path, 'A="1\n');
    await expect(editEnvFile(path, { B: '2' })).rejects.toThrow('its quote is never closed');
    expect(await readFile(path, 'utf8')).toBe('A="1\n');
  });
});

describe('the file beside the configuration', () => {
  const envFile = (text: string) => writeText(join(directory, '.config/petasos/.env'), text);

  it('is weaker than the configuration and than the environment', async () => {
    await envFile('TERMINAL_ENV=docker\nTERMINAL_SSH_PORT=2222\nACME_TOKEN=secret\n');
    const alone = await loadConfig(contextIn(directory));
    expect(alone.get('sandbox')).toMatchObject({ value: 'docker', layer: 'user', where: `${directory}/.config/petasos/.env:1` });
    expect(alone.get('terminal.ssh_port')?.value).toBe(2222);
    expect(alone.hostEnv.ACME_TOKEN).toBe('secret');
    await writeText(join(directory, '.config/petasos/config.yaml'), 'terminal: {backend: local}\n');
    expect((await loadConfig(contextIn(directory))).get('sandbox')?.value).toBe('local');
    const env = { ACME_TOKEN: 'other', TERMINAL_SSH_PORT: '22' };
    const both = await loadConfig(contextIn(directory, { env }));
    expect(both.hostEnv.ACME_TOKEN).toBe('other');
    expect(both.get('terminal.ssh_port')?.value).toBe(22);
  });
});
