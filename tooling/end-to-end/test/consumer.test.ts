import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { must, run } from '../src/process.js';
import { user } from './support/user.js';

const published = inject('published');
const backends = published.flatMap(({ name, backend }) => (backend === undefined ? [] : [{ name, backend }]));

describe('an empty project with core, the CLI and one backend', () => {
  it('works, knows nothing of the other backends, and names how to install them', async () => {
    const me = await user();
    const chosen = backends.find(({ backend }) => backend === 'local') ?? backends[0];
    if (chosen === undefined) throw new Error('no backend was published');
    await writeFile(join(me.work, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
    await me.npm(['install', '@petasos/core', '@petasos/cli', chosen.name]);
    const scope = await readdir(join(me.work, 'node_modules/@petasos'));
    expect(scope.sort()).toEqual([chosen.name.split('/')[1], 'cli', 'core'].sort());

    const petasos = join(me.work, 'node_modules/.bin/petasos');
    const options = { cwd: me.work, env: me.env };
    expect(await run(petasos, ['run', '--', 'echo hello'], options)).toMatchObject({ status: 0, stdout: 'hello\n', stderr: '' });
    const listed = JSON.parse(await must(petasos, ['backends', '--json'], options)) as {
      installed: { name: string; origin: string }[];
      unusable: [];
    };
    expect(listed.installed.map(({ name, origin }) => [name, origin])).toEqual([[chosen.backend, 'installation']]);
    expect(listed.unusable).toEqual([]);
    for (const { backend, name } of backends) {
      if (name === chosen.name) continue;
      const { status, stderr } = await run(petasos, ['run', '--sandbox', backend, '--', 'true'], options);
      expect({ status, stderr }).toEqual({
        status: 125,
        stderr: `petasos: the backend ${backend} is not installed. Install it: npm install ${name}\n`,
      });
    }

    const program = `import backend from ${JSON.stringify(chosen.name)};
import { open } from '@petasos/core';
await using sandbox = await open(backend, { hostEnv: { ...process.env } });
const { stdout, exitCode } = await sandbox.exec('echo in a program');
console.log(JSON.stringify({ stdout, exitCode }));
`.replace('await using sandbox', 'const sandbox');
    await writeFile(join(me.work, 'program.js'), `${program}await sandbox.destroy();\n`);
    expect(JSON.parse(await must(process.execPath, ['program.js'], options))).toEqual({ stdout: 'in a program\n', exitCode: 0 });
  });
});

describe('what a package brings along', () => {
  it.each(published)('$name: no other backend, no install script, and its size is told', async ({ name, version, backend, changelog }) => {
    const me = await user();
    await writeFile(join(me.work, 'package.json'), '{ "name": "consumer", "private": true }\n');
    await me.npm(['install', '--ignore-scripts', `${name}@${version}`]);
    const lock = JSON.parse(await readFile(join(me.work, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean; optional?: boolean }>;
    };
    const installed = Object.keys(lock.packages).filter((path) => path !== '');
    const others = installed.filter((path) => /@petasos\/backend-/.test(path) && !path.endsWith(name));
    expect(others).toEqual([]);
    // The installation above ran none; that there are some is worth a word.
    const scripted = installed
      .filter((path) => lock.packages[path]?.hasInstallScript === true)
      .map((path) => path.replace(/^.*node_modules\//, ''));
    expect(scripted.filter((path) => path.startsWith('@petasos/'))).toEqual([]);
    const kilobytes = Number((await must('du', ['-sk', 'node_modules'], { cwd: me.work, env: me.env })).split('\t')[0]);
    console.log(
      `${name} ${version}${backend === undefined ? '' : ` (${backend})`}: ${installed.length} packages, ${(kilobytes / 1024).toFixed(1)} MiB${scripted.length > 0 ? `, with install scripts of ${scripted.join(', ')}` : ''}`,
    );
    const manifest = JSON.parse(await readFile(join(me.work, 'node_modules', name, 'package.json'), 'utf8')) as {
      peerDependencies?: Record<string, string>;
      dependencies?: Record<string, string>;
    };
    const ranges = { ...manifest.dependencies, ...manifest.peerDependencies };
    for (const range of Object.values(ranges)) expect(range).not.toMatch(/^workspace:/);
    // The contract's major, so that a backend and the core are updated apart.
    if (backend !== undefined) expect(manifest.peerDependencies?.['@petasos/core']).toBe('>=0.0.0 <1');
    expect(changelog).toContain(`# ${name}\n\n## ${version}\n`);
  });
});
