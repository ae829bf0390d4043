import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { commands } from '../src/commands/index.js';
import { writeText } from './support/packages.js';
import { mainModule, outcome, type Person, person } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person();
});

const escapeCharacter = '\u001b';

describe('where', () => {
  it('tells where commands would run, by whom it was chosen, and what it warns about', async () => {
    const { status, stdout, stderr } = await me.run(['where']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const facts = Object.fromEntries(stdout.split('\n').map((line) => line.split(/ {2,}/, 2)));
    expect(facts).toMatchObject({
      Backend: expect.stringMatching(/^local \(@petasos\/backend-local .*\)$/),
      'Chosen by': 'default',
      Sandbox: 'default',
      'Starts in': me.work,
      Isolation: 'none: a command can do whatever this user can',
      Files: 'the files of this machine',
      Cost: 'free',
    });
    expect(stdout).toContain('warning\n  commands run on this machine as ');
  });

  it('prints JSON, with names of variables and no values', async () => {
    await me.run(['config', 'set', 'terminal.env_passthrough', 'WANTED']);
    const { stdout } = await me.run(['where', '--json'], { env: { WANTED: 'the-value' } });
    expect(stdout).not.toContain('the-value');
    expect(JSON.parse(stdout)).toMatchObject({
      backend: 'local',
      startsIn: me.work,
      forwarded: expect.arrayContaining(['WANTED']),
      chosenBy: 'default',
      notices: [],
    });
  });

  it("points out a project's file that has no say", async () => {
    await writeFile(join(me.work, 'petasos.yaml'), 'sandbox: docker\n');
    const { status, stderr } = await me.run(['where']);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `note: ${me.work}/petasos.yaml:1: sandbox is left out: a project may say this only once it is trusted. Look at the file, then: petasos trust\n`,
    });
  });
});

describe('backends', () => {
  it('lists what is installed with its row, and what is not with how to get it', async () => {
    const { status, stdout, stderr } = await me.run(['backends']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\* local {2}This machine {2}@petasos\/backend-local /);
    expect(stdout).toMatch(/^ {4}isolation +none$/m);
    expect(stdout).toContain('Not installed\n  docker ');
    expect(stdout).toContain('npm install --global @petasos/backend-docker');
    expect(stdout.split('\n').every((line) => line.length <= 100)).toBe(true);
  });

  it('prints JSON', async () => {
    const { stdout } = await me.run(['backends', '--json']);
    const { configured, installed, notInstalled, unusable } = JSON.parse(stdout) as Record<string, { name: string }[]>;
    expect(configured).toBe('local');
    expect(installed).toEqual([
      expect.objectContaining({ name: 'local', contract: 1, origin: 'installation', traits: expect.any(Object) }),
    ]);
    expect(notInstalled?.map(({ name }) => name)).toEqual(['docker', 'ssh', 'singularity', 'modal', 'daytona', 'vercel']);
    expect(unusable).toEqual([]);
  });
});

describe('doctor', () => {
  it('passes where everything works', async () => {
    const { status, stdout } = await me.run(['doctor']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^local \(configured\)\n {2}✓ /);
    expect((await me.run(['doctor', 'local'])).status).toBe(0);
  });

  it('fails when the configured backend is not installed, and checks the others all the same', async () => {
    await me.run(['config', 'set', 'sandbox', 'docker']);
    const { status, stdout } = await me.run(['doctor']);
    expect(status).toBe(1);
    expect(stdout).toContain(
      'docker (configured)\n  ✗ the backend docker is not installed\n    Install it: npm install --global @petasos/backend-docker\n',
    );
    expect(stdout).toContain('local\n  ✓ ');
  });

  it('fails when the configured one cannot be used as it is configured', async () => {
    await me.run(['config', 'set', 'options.local.frob', '1']);
    const { status, stdout } = await me.run(['doctor', '--json']);
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      configured: 'local',
      backends: [{ backend: 'local', findings: [{ status: 'failed', message: expect.stringContaining('frob') }] }],
    });
  });
});

describe('ls and rm', () => {
  it('list sandboxes and destroy them by name or id, all or none', async () => {
    await me.run(['run', '--name', 'one', '--', 'true']);
    await me.run(['run', '--name', 'two', '--', 'true']);
    const { sandboxes } = JSON.parse((await me.run(['ls', '--json'])).stdout) as { sandboxes: { name: string; id: string }[] };
    expect(sandboxes.map(({ name }) => name).sort()).toEqual(['one', 'two']);
    expect(await me.run(['rm', 'one', 'tow'])).toMatchObject({
      status: 1,
      stderr: 'petasos: there is no sandbox "tow". Did you mean two?\n',
    });
    expect((await me.run(['ls'])).stdout.split('\n')).toHaveLength(4);
    expect(await me.run(['rm', 'one', sandboxes.find(({ name }) => name === 'two')?.id ?? ''])).toMatchObject({
      status: 0,
      stderr: 'Destroyed one (local).\nDestroyed two (local).\n',
    });
    expect(await me.run(['ls'])).toMatchObject({ status: 0, stdout: '', stderr: 'There are no sandboxes.\n' });
  });

  it('ask for more when nothing is named', async () => {
    expect(await me.run(['rm'])).toMatchObject({
      status: 2,
      stderr: 'petasos: rm: something is missing. Usage: petasos rm [options] NAME…\n',
    });
  });
});

describe('config', () => {
  const file = () => join(me.home, '.config/petasos/config.yaml');

  it('sets, gets, lists and unsets, and keeps comments', async () => {
    await writeText(file(), '# mine\nsandbox: local # for now\n');
    expect(await me.run(['config', 'set', 'terminal.timeout', '60'])).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(await me.run(['config', 'set', 'terminal.docker_env', 'A=1', 'B=x=y'])).toMatchObject({ status: 0 });
    expect(await readFile(file(), 'utf8')).toBe(
      '# mine\nsandbox: local # for now\nterminal:\n  timeout: 60\n  docker_env:\n    A: "1"\n    B: x=y\n',
    );
    expect((await me.run(['config', 'get', 'terminal.timeout', '--origin'])).stdout).toBe(`60  (${file()}:4)\n`);
    expect((await me.run(['config', 'list', '--origin'], { env: { TERMINAL_TIMEOUT: '5' } })).stdout).toBe(
      `sandbox              local                ${file()}:2\n` +
        'terminal.timeout     5                    TERMINAL_TIMEOUT\n' +
        `terminal.docker_env  {"A":"1","B":"x=y"}  ${file()}:5\n`,
    );
    expect((await me.run(['config', 'unset', 'terminal.timeout'])).status).toBe(0);
    expect(await me.run(['config', 'get', 'terminal.timeout'])).toMatchObject({ status: 1, stdout: '', stderr: '' });
    expect((await me.run(['config', 'path'])).stdout).toBe(`${file()}\n`);
  });

  it('says when something stronger holds', async () => {
    expect(await me.run(['config', 'set', 'terminal.cwd', '/srv'], { env: { TERMINAL_CWD: '/opt' } })).toMatchObject({
      status: 0,
      stderr: 'note: TERMINAL_CWD is stronger: terminal.cwd is /opt\n',
    });
  });

  it('a place that is not installed yet may be chosen; one that nobody knows may not', async () => {
    expect(await me.run(['config', 'set', 'sandbox', 'docker'])).toMatchObject({
      status: 0,
      stderr: 'note: the backend docker is not installed. Install it: npm install --global @petasos/backend-docker\n',
    });
    expect(await me.run(['config', 'set', 'sandbox', 'dokcer'])).toMatchObject({
      status: 125,
      stderr: 'petasos: no backend is named "dokcer". Did you mean docker?\n',
    });
    expect((await me.run(['config', 'get', 'sandbox'])).stdout).toBe('docker\n');
  });

  it.each([
    [['terminal.tiemout', '5'], 'petasos: terminal.tiemout: unknown key. Did you mean terminal.timeout?\n'],
    [['terminal.timeout', 'soon'], 'petasos: terminal.timeout: must be a whole number, not "soon"\n'],
    [['terminal.cwd', 'a', 'b'], 'petasos: terminal.cwd takes one value, not 2. Put it in quotes if it has blanks.\n'],
    [
      ['DAYTONA_API_KEY', 'x'],
      'petasos: DAYTONA_API_KEY is a secret, and an argument is seen by others. Write petasos config set DAYTONA_API_KEY alone: it asks, or reads stdin.\n',
    ],
  ])('refuses %j', async (words, told) => {
    expect(await me.run(['config', 'set', ...words])).toMatchObject({ status: 2, stdout: '', stderr: told });
  });

  it('a broken file stops every command that needs it, with file, line and key, and --json says it as JSON', async () => {
    await writeText(file(), 'sandbox: local\nterminal:\n  timeout: soon\n');
    const told = `${file()}:3: terminal.timeout: must be a whole number, not "soon"`;
    for (const args of [
      ['run', '--', 'true'],
      ['where'],
      ['backends'],
      ['ls'],
      ['config', 'list'],
      ['config', 'set', 'sandbox', 'local'],
    ]) {
      expect(await me.run(args)).toMatchObject({ status: 2, stdout: '', stderr: `petasos: ${told}\n` });
    }
    const { stdout, stderr } = await me.run(['where', '--json']);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'invalid-config', message: told }, exitStatus: 2 });
  });

  it('a file that may not be read is told', async () => {
    await writeText(file(), 'sandbox: local\n');
    await chmod(file(), 0);
    // Root may read everything, unless it lays that power down.
    const prefix = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', '--'] : ['env'];
    const [program = '', ...args] = [...prefix, process.execPath, mainModule(), 'where'];
    expect(await outcome(spawn(program, args, { cwd: me.work, env: me.env, stdio: ['ignore', 'pipe', 'pipe'] }))).toMatchObject({
      status: 2,
      stderr: `petasos: ${file()}: cannot be read. Make it yours: chmod u+r '${file()}'\n`,
    });
  });

  it('a directory in place of the file is told', async () => {
    await mkdir(file(), { recursive: true });
    expect(await me.run(['run', '--', 'true'])).toMatchObject({
      status: 2,
      stderr: `petasos: ${file()}: is a directory. Move it away: the configuration is a file.\n`,
    });
  });
});

describe('every command', () => {
  it('has a help with examples, and knows its neighbours', async () => {
    const main = await me.run(['--help']);
    expect(main).toMatchObject({ status: 0, stderr: '' });
    expect((await me.run([])).stdout).toBe(main.stdout);
    const names = [...main.stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map((match) => match[1] ?? '');
    expect(names).toEqual(commands.map((command) => command.name));
    for (const name of names) {
      const help = await me.run([name, '--help']);
      expect(help).toMatchObject({ status: 0, stderr: '' });
      expect(help.stdout).toContain('\nExamples\n');
      expect(help.stdout).toBe((await me.run(['help', name])).stdout);
    }
    expect((await me.run(['jobs', 'logs', '--help'])).stdout).toContain('petasos jobs logs [options] ID');
  });

  it('tells mistakes in one line', async () => {
    expect(await me.run(['rnu'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'petasos: there is no command "rnu". Did you mean petasos run?\n',
    });
    expect(await me.run(['config', 'sett', 'a', 'b'])).toMatchObject({
      status: 2,
      stderr: 'petasos: there is no command "config sett". Did you mean petasos config set?\n',
    });
    expect(await me.run(['config'])).toMatchObject({
      status: 2,
      stderr: 'petasos: config needs to know what to do. One of: get, set, unset, list, edit, path, import.\n',
    });
    expect(await me.run(['where', 'now'])).toMatchObject({
      status: 2,
      stderr: 'petasos: where: too many words: now. Usage: petasos where [options]\n',
    });
  });

  it('prints the version of its package', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
    for (const args of [['--version'], ['-V'], ['--verbose', '--version']]) {
      expect(await me.run(args)).toMatchObject({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
    }
  });

  it('has colours only where they are wanted', async () => {
    for (const args of [['--help'], ['backends'], ['where'], ['doctor'], ['nope']]) {
      const plain = await me.run(args);
      expect(plain.stdout + plain.stderr).not.toContain(escapeCharacter);
      const forced = await me.run(args, { env: { FORCE_COLOR: '1' } });
      expect(forced.stdout + forced.stderr).toContain(escapeCharacter);
      const refused = await me.run(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } });
      expect(refused.stdout + refused.stderr).toBe(plain.stdout + plain.stderr);
    }
  });

  it('takes --sandbox and --json before its name too', async () => {
    expect((await me.run(['--sandbox', 'docker', 'run', '--', 'true'])).stderr).toContain('the backend docker is not installed');
    expect(JSON.parse((await me.run(['--json', 'ls'])).stdout)).toEqual({ sandboxes: [], failures: [] });
    expect((await me.run(['--json', 'shell', '--plain'])).stdout).toContain('"usage"');
  });
});
