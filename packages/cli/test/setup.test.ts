import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { backendSource, writePackage, writeText } from './support/packages.js';
import { type Person, person } from './support/petasos.js';
import { terminalOf } from './support/terminal.js';

let me: Person;
beforeEach(async () => {
  me = await person();
});

/** A schema as valibot makes it, with a required option, a choice, a number, a credential and one that nobody can type. */
const schema = `({
  '~standard': { version: 1, vendor: 'valibot', validate: (value) => ({ value }) },
  type: 'optional',
  wrapped: { type: 'strict_object', entries: {
    region: { type: 'string', pipe: [{ type: 'description', description: 'where it runs' }] },
    size: { type: 'optional', wrapped: { type: 'picklist', options: ['small', 'large'] } },
    spare: { type: 'optional', wrapped: { type: 'boolean', pipe: [{ type: 'description', description: 'keep one ready; default yes' }] } },
    apiKey: { type: 'optional', wrapped: { type: 'string' } },
    nodes: { type: 'optional', wrapped: { type: 'number' } },
    raw: { type: 'optional', wrapped: { type: 'record' } },
  } },
})`;

/** It is content once it has a token; it prepares with progress and cannot open. */
async function acme(): Promise<void> {
  const source = backendSource(
    'acme',
    `options: ${schema},
  secrets: ['ACME_TOKEN'],
  check: async (options, { env }) => [
    env.ACME_TOKEN ? { id: 'token', status: 'ok', message: 'signed in to ' + options.region } : { id: 'token', status: 'failed', message: 'ACME_TOKEN is not set', remedy: 'Make one.' },
  ],
  prepare: async (_options, { onProgress }) => onProgress?.({ step: 'pulling', done: 1, total: 2, unit: 'items' }),`,
  );
  await writePackage(join(me.home, '.local/share/petasos/plugins/node_modules/petasos-backend-acme'), {
    manifest: {
      name: 'petasos-backend-acme',
      version: '1.0.0',
      type: 'module',
      petasos: { backend: './index.js', name: 'acme', contract: 1 },
    },
    source,
  });
}

const configuration = () => readFile(join(me.home, '.config/petasos/config.yaml'), 'utf8').catch(() => '');
const down = '\u001b[B';

describe('setup', () => {
  it('asks nothing where nobody can answer', async () => {
    expect(await me.run(['setup'])).toMatchObject({
      status: 2,
      stderr: 'petasos: setup asks questions and needs a terminal. Use petasos config set, then petasos doctor.\n',
    });
  });

  it('asks what the schema needs, hides secrets, checks, prepares, and writes at the end', async () => {
    await acme();
    await writeText(join(me.home, '.config/petasos/config.yaml'), '# mine\nsandbox: local # for now\n');
    const screen = terminalOf(me, 'petasos setup acme; echo "status $?"', { NO_COLOR: '1' }, 80);
    await screen.sees('region: where it runs');
    screen.write('\r');
    await screen.sees('It is needed.');
    screen.write('eu\r');
    await screen.sees('Change other options?');
    screen.write('y');
    await screen.sees('Which one?');
    screen.write(`${down}${down}\r`);
    const offered = await screen.sees('◆  size');
    expect(offered).toContain('spare');
    // A credential has a place of its own, and what nobody can type is not offered.
    expect(offered).not.toMatch(/apiKey|raw/);
    await screen.sees('● The default');
    screen.write(`${down}${down}`);
    await screen.sees('● large');
    screen.write('\r');
    // What a person only looks at keeps its default.
    await screen.sees('◆  Which one?');
    screen.write(`${down.repeat(3)}\r`);
    await screen.sees('◆  spare: keep one ready; default yes');
    screen.write('\r');
    await screen.sees('◆  Which one?');
    screen.write('\r');
    await screen.sees('ACME_TOKEN is not set');
    await screen.sees('ACME_TOKEN (not shown');
    screen.write('hunter2\r');
    const seen = await screen.sees('signed in to eu');
    expect(seen).not.toContain('hunter2');
    await screen.sees('It is ready.');
    await screen.sees('Try it?');
    expect(await configuration()).toBe('# mine\nsandbox: local # for now\n');
    screen.write('n');
    await screen.sees('Commands run in acme from now on');
    await screen.sees('status 0');
    expect(await configuration()).toBe('# mine\nsandbox: acme # for now\noptions:\n  acme:\n    region: eu\n    size: large\n');
    const secrets = join(me.home, '.config/petasos/.env');
    expect(await readFile(secrets, 'utf8')).toBe('ACME_TOKEN=hunter2\n');
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    expect((await me.run(['doctor', 'acme'])).stdout).toContain('signed in to eu');
  });

  it('Ctrl-C changes nothing', async () => {
    await acme();
    const screen = terminalOf(me, 'petasos setup acme; echo "status $?"', { NO_COLOR: '1' }, 80);
    await screen.sees('region: where it runs');
    screen.write('\u0003');
    await screen.sees('cancelled; nothing was changed');
    await screen.sees('status 130');
    expect(await configuration()).toBe('');
  });

  it('tries the place, and offers all there are', async () => {
    const screen = terminalOf(me, 'petasos setup; echo "status $?"', { NO_COLOR: '1' }, 80);
    await screen.sees('Where should commands run?');
    await screen.sees('local: This machine');
    await screen.sees('docker');
    screen.write('\r');
    await screen.sees('Change other options?');
    screen.write('\r');
    await screen.sees('Try it?');
    screen.write('y');
    await screen.sees('It works: a command ran on ');
    await screen.sees('status 0');
    expect(await configuration()).toBe('sandbox: local\n');
    expect(JSON.parse((await me.run(['ls', '--json'])).stdout)).toMatchObject({ sandboxes: [] });
  });
});

describe('choose', () => {
  it('follows answers to a place that says it suits, installed before known', async () => {
    const { stdout } = await me.run(['choose', '--answers', 'here,no', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      choice: 'local',
      suits: 'unguarded',
      because: ['the work belongs on this machine', 'the machine may be lost'],
    });
    const cloud = await me.run(['choose', '--answers', 'cloud,bursts']);
    expect(cloud.stdout).toMatch(/^modal: .*, because the work goes to the cloud, and it comes in bursts\.\n.*Install it: npm install/s);
    const source = backendSource(
      'acme',
      "traits: { title: 'Acme', isolation: 'vm', startup: '1 s', cost: 'x', persistence: 'x', goodFor: 'x', suits: ['bursts'] },",
    );
    await writePackage(join(me.home, '.local/share/petasos/plugins/node_modules/petasos-backend-acme'), {
      manifest: {
        name: 'petasos-backend-acme',
        version: '1.0.0',
        type: 'module',
        petasos: { backend: './index.js', name: 'acme', contract: 1 },
      },
      source,
    });
    expect(JSON.parse((await me.run(['choose', '--answers', 'cloud,bursts', '--json'])).stdout)).toMatchObject({
      choice: 'acme',
      others: ['modal'],
    });
  });

  it('tells answers that are wrong, too few or too many', async () => {
    const told = async (answers: string) => (await me.run(['choose', '--answers', answers])).stderr;
    expect(await told('moon')).toBe(
      'petasos: --answers: "moon" is no answer to: Where does the work belong? Write one of here, there, cluster, cloud.\n',
    );
    expect(await told('cloud')).toBe('petasos: --answers: not answered: What is it like? Add one of bursts, long, javascript.\n');
    expect(await told('there,yes')).toBe('petasos: --answers: "yes" answers no question any more\n');
    expect((await me.run(['choose'])).status).toBe(2);
  });

  it('asks on a terminal and sets the place', async () => {
    const screen = terminalOf(me, 'petasos choose; echo "status $?"', { NO_COLOR: '1' }, 80);
    await screen.sees('Where does the work belong?');
    screen.write('\r');
    await screen.sees('Would it hurt');
    screen.write(`${down}\r`);
    await screen.sees('local: This machine, because');
    await screen.sees('Run commands in local from now on?');
    screen.write('y');
    await screen.sees('status 0');
    expect(await configuration()).toBe('sandbox: local\n');
  });
});

describe('config set of a secret', () => {
  it('takes it from stdin or hidden, never as an argument', async () => {
    const name = 'ACME_API_KEY';
    expect(await me.run(['config', 'set', name, 'hunter2'])).toMatchObject({
      status: 2,
      stderr: `petasos: ${name} is a secret, and an argument is seen by others. Write petasos config set ${name} alone: it asks, or reads stdin.\n`,
    });
    expect((await me.run(['config', 'set', name], { input: 'hunter2\n' })).status).toBe(0);
    const path = join(me.home, '.config/petasos/.env');
    expect(await readFile(path, 'utf8')).toBe(`${name}=hunter2\n`);
    const screen = terminalOf(me, `petasos config set ${name}; echo "status $?"`, { NO_COLOR: '1' });
    await screen.sees(name);
    screen.write('other\r');
    expect(await screen.sees('status 0')).not.toContain('other');
    expect(await readFile(path, 'utf8')).toBe(`${name}=other\n`);
    await me.run(['config', 'unset', name]);
    expect(await readFile(path, 'utf8')).toBe('');
  });
});

describe('config edit', () => {
  it('keeps the file when what was written cannot be read', async () => {
    await writeText(join(me.home, '.config/petasos/config.yaml'), 'sandbox: local\n');
    await writeText(join(me.home, 'bad'), 'terminal: {timeout: soon}\n');
    await writeText(join(me.home, 'good'), '# new\nsandbox: local\n');
    const editor = `cp ${me.home}/$(cat ${me.home}/which)`;
    await writeText(join(me.home, 'which'), 'bad');
    const screen = terminalOf(me, 'petasos config edit; echo "status $?"', { NO_COLOR: '1', EDITOR: editor });
    await screen.sees('terminal.timeout: must be a whole number');
    await screen.sees('Edit it again?');
    expect(await configuration()).toBe('sandbox: local\n');
    await writeText(join(me.home, 'which'), 'good');
    screen.write('y');
    await screen.sees('status 0');
    expect(await configuration()).toBe('# new\nsandbox: local\n');
  });
});
