import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sandboxOwner } from '@petasos/core/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { backendSource, writePackage } from './support/packages.js';
import { type Person, person } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person({ asked: false });
});

describe('cp', () => {
  it('copies files and trees in and out, with modes, names and progress aside', async () => {
    const source = join(me.work, 'tree');
    await mkdir(join(source, 'sub dir'), { recursive: true });
    await writeFile(join(source, 'sub dir', "it's"), Buffer.from([0, 255, 10]));
    await writeFile(join(source, 'run.sh'), 'echo hi\n');
    await chmod(join(source, 'run.sh'), 0o755);
    await writeFile(join(source, 'left.log'), 'x');
    const place = join(me.home, 'place');
    const into = await me.run(['cp', 'tree', `default:${place}/new`, '--ignore', '*.log', '--json']);
    expect(into.stderr).toBe('upload\n');
    expect(JSON.parse(into.stdout)).toMatchObject({ files: 2, directories: 1, bytes: 11, skipped: [] });
    expect((await stat(join(place, 'new/run.sh'))).mode & 0o777).toBe(0o755);
    // A directory that is there takes it under its own name.
    await me.run(['cp', 'tree/run.sh', `default:${place}`]);
    expect(await readFile(join(place, 'run.sh'), 'utf8')).toBe('echo hi\n');
    await me.run(['cp', `default:${place}/new`, '.']);
    expect(await readFile(join(me.work, 'new/sub dir', "it's"))).toEqual(Buffer.from([0, 255, 10]));
    await me.run(['cp', `default:${place}/run.sh`, 'other name']);
    expect((await stat(join(me.work, 'other name'))).mode & 0o777).toBe(0o755);
  });

  it('tells what is wrong', async () => {
    const told = async (...words: string[]) => (await me.run(['cp', ...words])).stderr;
    expect(await told('a', 'b')).toBe(
      'petasos: one of the two must be in a sandbox, and only one. Write it as NAME:PATH, such as default:/tmp/file.\n',
    );
    expect(await told('none', 'default:/tmp/x')).toContain(`${me.work}/none cannot be read`);
    expect(await told('other:/tmp/x', '.')).toContain('there is no sandbox "other"');
    await me.run(['run', '--', 'true']);
    expect(await told('default:/does/not/exist', '.')).toMatch(/^petasos: .*\/does\/not\/exist/);
  });
});

describe('sandboxes', () => {
  it('stop, resume and snapshot say what a place cannot do', async () => {
    await me.run(['run', '--', 'true']);
    for (const command of ['stop', 'resume']) {
      const { status, stderr } = await me.run([command, 'default']);
      expect(status).toBe(125);
      expect(stderr).toMatch(/^petasos: local does not support pause\. /);
    }
    expect((await me.run(['snapshot', 'default'])).stderr).toMatch(/^petasos: local does not support snapshot\. /);
    expect((await me.run(['restore', 'id', 'new'])).stderr).toMatch(/^petasos: local does not support snapshot\. /);
    expect((await me.run(['stop', 'defult'])).stderr).toBe('petasos: there is no sandbox "defult". Did you mean default?\n');
  });

  it('a place that cannot be asked is named where a sandbox could be there, and nowhere else', async () => {
    const manifest = {
      name: 'petasos-backend-acme',
      version: '1.0.0',
      type: 'module',
      petasos: { backend: './index.js', name: 'acme', contract: 1 },
    };
    const source = backendSource('acme', "list: async () => { throw new Error('acme: nobody answers'); },");
    await writePackage(join(me.home, '.local/share/petasos/plugins/node_modules/petasos-backend-acme'), { manifest, source });
    const away = 'petasos: acme: nobody answers. Update or remove petasos-backend-acme.\n';
    await me.run(['run', '--name', 'one', '--', 'true']);
    expect(await me.run(['ls'])).toMatchObject({ status: 0, stderr: away });
    expect((await me.run(['rm', 'none'])).stderr).toBe(`${away}petasos: there is no sandbox "none". Did you mean one?\n`);
    expect(await me.run(['rm', 'one'])).toMatchObject({ status: 0, stderr: 'Destroyed one (local).\n' });
  });

  it('one that was made on another machine is known by its name where that is one for all, and pruned only when asked', async () => {
    await me.run(['run', '--name', 'one', '--', 'true']);
    const records = join(me.home, '.local/state/petasos/local');
    for (const entry of await readdir(records, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      if (entry.isFile()) await writeFile(path, (await readFile(path, 'utf8')).replace(sandboxOwner(), 'ann@laptop'));
    }
    expect((await me.run(['ls'])).stdout).toMatch(/^NAME .* OWNER +ID\none +local +running +\d+s +ann@laptop +[0-9a-f]{32}\n$/);
    expect(await me.run(['prune', '--older-than', '1ms', '--yes'])).toMatchObject({
      status: 0,
      stderr: 'Destroyed 0.\nnote: 1 of other users or machines left alone; --all takes them, too\n',
    });
    expect(await me.run(['rm', 'one'])).toMatchObject({ status: 0, stderr: 'Destroyed one (local).\n' });
  });

  it('prune is dry, then destroys what is old', async () => {
    await me.run(['run', '--name', 'one', '--', 'true']);
    expect(JSON.parse((await me.run(['prune', '--json'])).stdout)).toEqual({
      dry: true,
      unused: [],
      destroyed: [],
      spared: 0,
      problems: [],
    });
    const dry = await me.run(['prune', '--older-than', '1ms']);
    expect(dry.stdout).toContain('one');
    expect(dry.stderr).toBe('1 would be destroyed; do it with --yes.\n');
    expect((await me.run(['ls'])).stdout).toContain('one');
    expect((await me.run(['prune', '--older-than', '1ms', '--yes'])).stderr).toBe('Destroyed 1.\n');
    expect((await me.run(['ls'])).stderr).toBe('There are no sandboxes.\n');
  });

  it('bench measures, draws, and leaves nothing', async () => {
    const { status, stdout } = await me.run(['bench', '--svg', 'chart.svg']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/local on .+: milliseconds a command\n {2}first command .*█.* ms\n/);
    expect(stdout).toMatch(/opened in \d+ ms; output \d+ MiB\/s; file in \d+ MiB\/s, out \d+ MiB\/s\n$/);
    expect(await readFile(join(me.work, 'chart.svg'), 'utf8')).toMatch(/^<svg [\s\S]*warm, median[\s\S]*<\/svg>\n$/);
    expect((await me.run(['ls'])).stderr).toBe('There are no sandboxes.\n');
  });
});
