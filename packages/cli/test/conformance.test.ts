import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { backendSource, goodPackage, writePackage, writeText } from './support/packages.js';
import { type Person, person } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person();
});

it('finds a backend by directory and by package, and reports every scenario that it breaks', async () => {
  await writePackage(join(me.work, 'mine'), goodPackage('my-backend', 'mine'));
  await writePackage(join(me.work, 'node_modules/@corp/place'), goodPackage('@corp/place', 'corp'));
  const badge = join(me.work, 'badge.svg');
  const text = await me.run(['conformance', './mine', '--badge', badge]);
  expect(text.status).toBe(1);
  expect(text.stdout).toMatch(/^FAIL {2}E1\./m);
  expect(text.stdout).toMatch(/\nmine: conformance \d+\/\d+, \d+ not declared, [\d.]+ s\n$/);
  expect(text.stderr).toMatch(/^mine: exec\n/);
  expect(await readFile(badge, 'utf8')).toMatch(/^<svg .*conformance/s);
  const json = await me.run(['conformance', '@corp/place', '--json']);
  expect(json.status).toBe(1);
  const report = JSON.parse(json.stdout) as {
    backend: string;
    failed: number;
    results: { id: string; status: string; observed: string }[];
  };
  expect(report.backend).toBe('corp');
  expect(report.results.filter(({ status }) => status === 'failed')).toHaveLength(report.failed);
  expect(report.results.some(({ observed }) => observed.includes('not here'))).toBe(true);
  expect((await me.run(['conformance', join(me.work, 'mine'), '--markdown'])).stdout).toMatch(/^# mine: conformance /);
});

it('says what is wrong with what it is pointed at', async () => {
  await writePackage(join(me.work, 'other'), { manifest: { name: 'other', version: '1.0.0' } });
  await writePackage(join(me.work, 'throws'), {
    manifest: { name: 'throws', type: 'module', petasos: { backend: './index.js', name: 'throws', contract: 1 } },
    source: 'throw new Error("boom")',
  });
  const told = async (...args: string[]) => {
    const { status, stdout, stderr } = await me.run(['conformance', ...args]);
    expect(stdout).toBe('');
    return `${status} ${stderr}`;
  };
  expect(await told('./other')).toBe(
    '2 petasos: ./other cannot be used: it is not a backend: its package.json has no petasos field. Name a backend package, or take it out of plugins in the configuration.\n',
  );
  expect(await told('./nowhere')).toMatch(/^2 petasos: \.\/nowhere cannot be used: it has no package\.json that can be read /);
  expect(await told('@corp/none')).toBe(
    '2 petasos: there is no package @corp/none here or beside the CLI. Install it, or name its directory, such as ./@corp/none\n',
  );
  expect(await told('docker')).toBe(
    '125 petasos: the backend docker is not installed. Install it: npm install --global @petasos/backend-docker\n',
  );
  expect(await told('./throws')).toBe('125 petasos: throws: throws cannot be loaded: boom. Update or reinstall throws.\n');
  expect(await told('local', '--options', 'none.yaml')).toBe('2 petasos: --options: there is no file none.yaml\n');
  await writeText(join(me.work, 'list.yaml'), '- a\n');
  expect(await told('local', '--options', 'list.yaml')).toBe('2 petasos: list.yaml:1: must be a map of option names to values\n');
  await writeText(join(me.work, 'frob.yaml'), 'frob: 1\n');
  expect(await told('local', '--options', 'frob.yaml')).toMatch(/^\d+ petasos: .*frob/);
  expect(JSON.parse((await me.run(['conformance', 'local', '--json', '--markdown'])).stdout)).toMatchObject({
    error: { code: 'usage' },
    exitStatus: 2,
  });
});

it('gives the options of the file to the backend, else the configured ones', async () => {
  const source = backendSource('mine', 'create: async (options) => { throw new Error(`region ${options.region}`); }');
  await writePackage(join(me.work, 'mine'), { ...goodPackage('my-backend', 'mine'), source });
  await writeText(join(me.work, 'options.yaml'), 'region: eu\n');
  await me.run(['config', 'set', 'options.mine.region', 'us']);
  expect((await me.run(['conformance', './mine', '--options', 'options.yaml'])).stdout).toContain('region eu');
  expect((await me.run(['conformance', './mine'])).stdout).toContain('region us');
});
