import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '../src/config/config.js';
import { discoverBackends } from '../src/plugins/discover.js';
import { findBackend } from '../src/plugins/find.js';
import { originOrder } from '../src/plugins/origins.js';
import { contextIn } from './support/context.js';
import { goodPackage, type PackageFiles, writePackage, writeText } from './support/packages.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'petasos-plugins-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

const userPlugin = (packageName: string, files: PackageFiles) =>
  writePackage(join(home, '.local/share/petasos/plugins/node_modules', packageName), files);
const userFile = (text: string) => writeText(join(home, '.config/petasos/config.yaml'), text);

async function discovered() {
  const context = contextIn(home);
  const { backends, problems } = await discoverBackends(context, await loadConfig(context));
  return {
    backends: backends
      .filter(({ origin }) => origin !== 'installation')
      .map(({ name, packageName, origin }) => `${name} ${packageName} ${origin}`),
    problems: problems
      .filter(({ origin }) => origin !== 'installation')
      .map(({ packageName, reason, remedy }) => `${packageName}: ${reason}. ${remedy}`),
  };
}

async function found(name: string) {
  const context = contextIn(home);
  return findBackend(context, await loadConfig(context), name);
}

it('looks in the configuration first and in projects last', () => {
  expect(originOrder).toEqual(['config', 'installation', 'user', 'project']);
});

describe('packages', () => {
  it('are backends when they say so, whatever their names', async () => {
    await userPlugin('petasos-backend-acme', goodPackage('petasos-backend-acme', 'acme'));
    await userPlugin('@corp/places', goodPackage('@corp/places', 'corp'));
    await userPlugin('left-pad', { manifest: { name: 'left-pad', version: '1.0.0' } });
    expect(await discovered()).toEqual({
      backends: ['acme petasos-backend-acme user', 'corp @corp/places user'],
      problems: [],
    });
    expect(await found('acme')).toMatchObject({ packageName: 'petasos-backend-acme', version: '1.2.3' });
    expect(await found('corp')).toMatchObject({ packageName: '@corp/places' });
  });

  it('that the configuration names come first, by path or by name', async () => {
    await userPlugin('petasos-backend-acme', goodPackage('petasos-backend-acme', 'acme'));
    await writePackage(join(home, 'work/acme'), goodPackage('my-acme', 'acme'));
    await userFile('plugins: [~/work/acme]\n');
    const result = await discovered();
    expect(result.backends).toEqual(['acme my-acme config']);
    expect(result.problems).toEqual([
      'petasos-backend-acme: the name "acme" is taken by my-acme (named by plugins in the configuration). ' +
        'Remove one of them, or name the one you want in plugins in the configuration.',
    ]);
    expect(await found('acme')).toMatchObject({ packageName: 'my-acme' });
    await userFile('plugins: [petasos-backend-acme, ../../work/acme]\n');
    expect((await discovered()).backends).toEqual(['acme petasos-backend-acme config']);
  });

  it('of the current project are not looked at', async () => {
    await writeText(join(home, 'package.json'), JSON.stringify({ dependencies: { 'petasos-backend-acme': '1' } }));
    await writePackage(join(home, 'node_modules/petasos-backend-acme'), goodPackage('petasos-backend-acme', 'acme'));
    expect(await discovered()).toEqual({ backends: [], problems: [] });
    await expect(found('acme')).rejects.toThrow('no backend is named "acme"');
  });

  it('named after their backend win over others of the same place, in a list as in a look-up', async () => {
    await userPlugin('aaa', goodPackage('aaa', 'acme'));
    await userPlugin('petasos-backend-acme', goodPackage('petasos-backend-acme', 'acme'));
    expect((await discovered()).backends).toEqual(['acme petasos-backend-acme user']);
    expect(await found('acme')).toMatchObject({ packageName: 'petasos-backend-acme' });
  });
});

describe('a package that cannot be used is told and harms no other', () => {
  const manifest = (petasos: unknown, name = 'bad') => ({ manifest: { name, version: '1.0.0', petasos }, source: '' });
  const good = { backend: './index.js', name: 'bad', contract: 1 };

  it.each([
    ['JSON that breaks off', { manifest: '{"name":"bad","petasos":{' }, 'its package.json is not JSON. Reinstall bad.'],
    ['a field that is no object', manifest('yes'), 'its petasos field is not an object. Update or remove bad.'],
    ['no name', manifest({ ...good, name: undefined }), 'its petasos field has no name. Update or remove bad.'],
    [
      'a name that is none',
      manifest({ ...good, name: '../evil' }),
      'its name "../evil" is not lower-case letters, digits and dashes, at most 32. Update or remove bad.',
    ],
    ['a reserved name', manifest({ ...good, name: 'default' }), 'the name "default" is reserved. Update or remove bad.'],
    [
      'a name of Petasos itself',
      manifest({ ...good, name: 'docker' }),
      'the name "docker" belongs to @petasos/backend-docker. Update or remove bad.',
    ],
    ['no contract', manifest({ ...good, contract: '1' }), 'its petasos field has no contract number. Update or remove bad.'],
    [
      'an older contract',
      manifest({ ...good, contract: 0 }),
      'it follows version 0 of the contract, and this petasos speaks version 1. Update bad.',
    ],
    [
      'a newer contract',
      manifest({ ...good, contract: 9 }),
      'it follows version 9 of the contract, and this petasos speaks version 1. Update petasos.',
    ],
    [
      'no module',
      manifest({ ...good, backend: 7 }),
      'its petasos field has no backend: a path relative to the package. Update or remove bad.',
    ],
    [
      'a module that is not there',
      manifest({ ...good, backend: './none.js' }),
      'its backend "./none.js" is not a file of the package. Update or remove bad.',
    ],
    [
      'a module outside of it',
      manifest({ ...good, backend: '../petasos-backend-acme/index.js' }),
      'its backend "../petasos-backend-acme/index.js" is not a file of the package. Update or remove bad.',
    ],
    [
      'an absolute module',
      manifest({ ...good, backend: '/bin/sh' }),
      'its petasos field has no backend: a path relative to the package. Update or remove bad.',
    ],
  ] as const)('%s', async (_what, files, told) => {
    await userPlugin('bad', files);
    await userPlugin('petasos-backend-acme', goodPackage('petasos-backend-acme', 'acme'));
    expect(await discovered()).toEqual({ backends: ['acme petasos-backend-acme user'], problems: [`bad: ${told}`] });
    expect(await found('acme')).toMatchObject({ packageName: 'petasos-backend-acme' });
  });

  it('a link that leads out of the package', async () => {
    await userPlugin('bad', manifest({ ...good, backend: './link.js' }));
    await writeFile(join(home, 'elsewhere.js'), '');
    await symlink(join(home, 'elsewhere.js'), join(home, '.local/share/petasos/plugins/node_modules/bad/link.js'));
    expect((await discovered()).problems).toEqual(['bad: its backend "./link.js" is not a file of the package. Update or remove bad.']);
  });

  it('a package that the configuration names and nobody has installed', async () => {
    await userFile('plugins: [petasos-backend-ghost, ./empty]\n');
    await mkdir(join(home, '.config/petasos/empty'), { recursive: true });
    const { problems } = await discovered();
    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^petasos-backend-ghost: it has no package.json that can be read \(ENOENT/);
    expect(problems[1]).toMatch(/^\.\/empty: it has no package.json that can be read \(ENOENT/);
  });

  it('and asking for it by name says why', async () => {
    await userPlugin('bad', manifest({ ...good, contract: 9 }));
    await expect(found('bad')).rejects.toMatchObject({
      message: 'bad: bad cannot be used: it follows version 9 of the contract, and this petasos speaks version 1',
      remedy: 'Update petasos.',
      status: 125,
    });
  });
});

describe('a backend that is not installed', () => {
  it.each(['docker', 'ssh', 'singularity', 'modal', 'daytona', 'vercel'])('%s is told with the command that installs it', async (name) => {
    await expect(found(name)).rejects.toMatchObject({
      message: `the backend ${name} is not installed`,
      remedy: `Install it: npm install --global @petasos/backend-${name}`,
      status: 125,
    });
  });

  it('and that nobody knows is told with the nearest name', async () => {
    await expect(found('dokcer')).rejects.toMatchObject({ message: 'no backend is named "dokcer"', remedy: 'Did you mean docker?' });
    await expect(found('kubernetes')).rejects.toMatchObject({ remedy: expect.stringMatching(/^petasos backends lists what there is/) });
  });

  it('cannot be had by a package that only has the folder of one', async () => {
    await userPlugin('@petasos/backend-docker', goodPackage('impostor', 'docker'));
    await expect(found('docker')).rejects.toThrow(
      '@petasos/backend-docker cannot be used: the name "docker" belongs to @petasos/backend-docker',
    );
  });
});
