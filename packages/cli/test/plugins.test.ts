import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, inject, it } from 'vitest';
import { backendSource, goodPackage, type PackageFiles, writePackage, writeText } from './support/packages.js';
import { mainModule, type Person, person } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person({ asked: false });
});

const plugin = (packageName: string, files: PackageFiles) =>
  writePackage(join(me.home, '.local/share/petasos/plugins/node_modules', packageName), files);

const broken = (name: string, source: string) =>
  plugin(`petasos-backend-${name}`, {
    manifest: { name: `petasos-backend-${name}`, version: '1.0.0', type: 'module', petasos: { backend: './index.js', name, contract: 1 } },
    source,
  });

interface Listed {
  readonly installed: { readonly name: string }[];
  readonly unusable: { readonly name?: string; readonly packageName: string; readonly reason: string; readonly remedy: string }[];
}

async function listed(): Promise<Listed> {
  const { status, stdout, stderr } = await me.run(['backends', '--json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout) as Listed;
}

describe('a plugin that misbehaves when it is loaded', () => {
  it.each([
    ['throws', 'throw new Error("boom");', /^boom$/],
    ['does not parse', 'export default {', /^Unexpected end of input$/],
    ['needs a package that is not there', "import 'no-such-package';", /^Cannot find package 'no-such-package'/],
    ['exports nothing', 'export const x = 1;', /^its default export is not a backend made with defineBackend$/],
    ['exports something else', 'export default { name: "bad" };', /^its default export is not a backend made with defineBackend$/],
    ['calls itself otherwise', backendSource('other'), /^it calls itself "other", but its package.json says "bad"$/],
    ['follows another contract than it says', backendSource('bad', 'contract: 2'), /^it follows version 2 of the contract, not 1$/],
    ['ends the process', 'process.exit(3);', /^it ended its thread instead of answering$/],
    ['writes to stdout', `process.stdout.write("noise"); console.error("noise"); throw new Error("boom");`, /^boom$/],
    ['throws what is no error', 'throw null;', /^null$/],
    [
      'has no traits to show',
      backendSource('bad', 'traits: { title: () => 1 }'),
      /^its default export is not a backend made with defineBackend$/,
    ],
    ['repaints the terminal', 'throw new Error("\\u001b[2Jboom");', /^\\u\{1b\}\[2Jboom$/],
  ])('%s: it is told, and the others work', async (_what, source, reason) => {
    await broken('bad', source);
    await plugin('petasos-backend-good', goodPackage('petasos-backend-good', 'good'));
    const { installed, unusable } = await listed();
    expect(installed.map(({ name }) => name)).toEqual(['good', 'local']);
    expect(unusable).toEqual([expect.objectContaining({ packageName: 'petasos-backend-bad', reason: expect.stringMatching(reason) })]);
    expect(await me.run(['run', '--', 'echo works'])).toMatchObject({ status: 0, stdout: 'works\n', stderr: '' });
  });

  it.each([
    ['never finishes', 'await new Promise(() => setInterval(() => {}, 1000));'],
    ['blocks', 'for (;;);'],
  ])('%s: it is waited for only so long', async (_what, source) => {
    await broken('slow', source);
    const { installed, unusable } = await listed();
    expect(installed.map(({ name }) => name)).toEqual(['local']);
    expect(unusable).toEqual([expect.objectContaining({ packageName: 'petasos-backend-slow', reason: 'it did not answer within 5 s' })]);
  });

  it('is told in one line when it is the one that was asked for', async () => {
    await broken('bad', 'throw new Error("boom\\nand more");');
    expect(await me.run(['run', '--sandbox', 'bad', '--', 'true'])).toMatchObject({
      status: 125,
      stdout: '',
      stderr: 'petasos: bad: petasos-backend-bad cannot be loaded: boom and more. Update or reinstall petasos-backend-bad.\n',
    });
    const verbose = await me.run(['run', '--verbose', '--sandbox', 'bad', '--', 'true']);
    expect(verbose.stderr).toBe(
      'petasos: bad: petasos-backend-bad cannot be loaded: boom and more. Update or reinstall petasos-backend-bad.\n  caused by Error: boom and more\n',
    );
  });

  it('that fails later is told in one line too, without a stack trace', async () => {
    await broken(
      'late',
      backendSource('late', 'create: async () => { setTimeout(() => { throw new Error("adrift"); }, 10); await new Promise(() => {}); }'),
    );
    expect(await me.run(['run', '--sandbox', 'late', '--', 'true'])).toMatchObject({
      status: 125,
      stdout: '',
      stderr: 'petasos: adrift. Run it again with --verbose, and report it if it is not a mistake of yours.\n',
    });
  });

  it('whose answer is no data is told by doctor', async () => {
    await broken('odd', backendSource('odd', 'check: async () => [{ id: "x", status: "ok", message: "m", extra: () => 1 }]'));
    expect((await me.run(['doctor'])).stdout).toMatch(/^odd\n {2}✗ .* could not be cloned\.?\n/m);
  });

  it('does not keep doctor and ls from the others', async () => {
    await broken('bad', 'throw new Error("boom");');
    await me.run(['run', '--', 'true']);
    const doctor = await me.run(['doctor']);
    expect(doctor).toMatchObject({ status: 0, stderr: '' });
    expect(doctor.stdout).toContain('bad\n  ✗ boom\n    Update or remove petasos-backend-bad.\n');
    const ls = await me.run(['ls']);
    expect(ls.status).toBe(0);
    expect(ls.stdout).toMatch(/^default +local /m);
    expect(ls.stderr).toBe('petasos: bad: boom. Update or remove petasos-backend-bad.\n');
    expect(await me.run(['ls', '--sandbox', 'bad'])).toMatchObject({ status: 125, stdout: '' });
  });
});

describe('a manifest that is wrong', () => {
  it('is told, without running anything of the package', async () => {
    const source = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(me.home, 'ran'))}, '');`;
    await plugin('petasos-backend-old', {
      manifest: { name: 'petasos-backend-old', petasos: { backend: './index.js', name: 'old', contract: 0 } },
      source,
    });
    await plugin('petasos-backend-evil', {
      manifest: { name: 'petasos-backend-evil', petasos: { backend: './index.js', name: 'local', contract: 1 } },
      source,
    });
    await plugin('petasos-backend-torn', { manifest: '{"petasos":', source });
    const { stdout } = await me.run(['backends']);
    expect(stdout).toContain('Cannot be used\n');
    expect(stdout).toContain(
      "  ✗ petasos-backend-old (in the user's plugin directory): it follows version 0 of the contract, and this petasos speaks version 1. Update petasos-backend-old.\n",
    );
    expect(stdout).toContain(
      'petasos-backend-evil (in the user\'s plugin directory): the name "local" belongs to @petasos/backend-local. ',
    );
    expect(stdout).toContain("petasos-backend-torn (in the user's plugin directory): its package.json is not JSON. ");
    expect(await me.run(['run', '--', 'echo works'])).toMatchObject({ status: 0, stdout: 'works\n' });
    expect(await readdir(me.home)).not.toContain('ran');
  });
});

it("an untrusted project's packages are never run", async () => {
  const source = `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(me.home, 'ran'))}, ''); ${backendSource('acme')}`;
  const manifest = { name: 'petasos-backend-acme', type: 'module', petasos: { backend: './index.js', name: 'acme', contract: 1 } };
  await writeText(join(me.work, 'package.json'), '{"dependencies":{"petasos-backend-acme":"1"}}');
  await writePackage(join(me.work, 'node_modules/petasos-backend-acme'), { manifest, source });
  await writeText(join(me.work, 'petasos.yaml'), 'sandbox: acme\nplugins: [./node_modules/petasos-backend-acme]\n');
  expect(await me.run(['run', '--', 'echo here'])).toMatchObject({ status: 0, stdout: 'here\n' });
  expect(await me.run(['run', '--sandbox', 'acme', '--', 'true'])).toMatchObject({
    status: 125,
    stderr: expect.stringContaining('no backend is named "acme"'),
  });
  expect((await listed()).installed.map(({ name }) => name)).toEqual(['local']);
  expect(await readdir(me.home)).not.toContain('ran');
});

describe('an installation', () => {
  async function install(prefix: string, ...names: string[]): Promise<string> {
    const modules = join(prefix, 'node_modules');
    await mkdir(join(modules, '@petasos'), { recursive: true });
    for (const name of names)
      await cp(join(inject('installation'), '@petasos', name), join(modules, '@petasos', name), { recursive: true });
    for (const name of await readdir(inject('installation'))) {
      if (name !== '@petasos') await symlink(join(inject('installation'), name), join(modules, name));
    }
    return modules;
  }

  const elsewhere = (modules: string, args: readonly string[]) => me.run(args, { main: mainModule(modules) });

  it('in a project offers what the project depends on, and names the command for a project', async () => {
    const project = join(me.home, 'project');
    const modules = await install(project, 'core', 'cli', 'backend-local');
    await writePackage(join(modules, 'petasos-backend-acme'), goodPackage('petasos-backend-acme', 'acme'));
    await writePackage(join(modules, 'petasos-backend-stray'), goodPackage('petasos-backend-stray', 'stray'));
    const dependencies = { '@petasos/cli': '1', '@petasos/backend-local': '1', 'petasos-backend-acme': '1' };
    await writeText(join(project, 'package.json'), JSON.stringify({ dependencies }));
    const { stdout } = await elsewhere(modules, ['backends', '--json']);
    expect((JSON.parse(stdout) as Listed).installed.map(({ name }) => name)).toEqual(['acme', 'local']);
    expect((await elsewhere(modules, ['run', '--sandbox', 'docker', '--', 'true'])).stderr).toBe(
      'petasos: the backend docker is not installed. Install it: npm install @petasos/backend-docker\n',
    );
  });

  it('without a backend says which command brings one, and nothing more', async () => {
    const modules = await install(join(me.home, 'prefix/lib'), 'core', 'cli');
    expect(await elsewhere(modules, ['run', '--', 'true'])).toMatchObject({
      status: 125,
      stderr: 'petasos: the backend local is not installed. Install it: npm install --global @petasos/backend-local\n',
    });
    const { stdout } = await elsewhere(modules, ['backends']);
    expect(stdout).toMatch(/^No backend is installed\.\n/);
    expect(stdout).toMatch(/^ {2}local +This machine/m);
  });

  it('that is not whole says so in one line', async () => {
    const modules = await install(join(me.home, 'prefix/lib'), 'cli');
    const { status, stderr } = await elsewhere(modules, ['run', '--', 'true']);
    expect(status).toBe(125);
    expect(stderr).toMatch(/^petasos: cannot start: Cannot find package '@petasos\/core' .*\. Reinstall @petasos\/cli\.\n$/);
  });
});

it('looking for the configured backend does not read the packages around it', async () => {
  // A package.json that is a pipe would be waited for forever if it were read.
  const directory = join(me.home, '.local/share/petasos/plugins/node_modules/waits');
  await mkdir(directory, { recursive: true });
  const pipe = join(directory, 'package.json');
  execFileSync('mkfifo', [pipe]);
  expect(await me.run(['run', '--', 'echo quick'])).toMatchObject({ status: 0, stdout: 'quick\n' });
  await rm(pipe);
});
