import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { must } from '../src/process.js';
import { user } from './support/user.js';

it('somebody writes, proves, packs and installs a backend that nobody here has seen', async () => {
  const me = await user();
  const options = { cwd: me.work, env: me.env };
  await me.npm(['install', '--global', '@petasos/cli', '@petasos/backend-local']);

  const made = await me.petasos(['plugin', 'new', 'acme']);
  expect(made).toMatchObject({ status: 0, stdout: '' });
  expect(made.stderr).toContain('cd petasos-backend-acme && npm install && npm run build && petasos conformance .');
  const folder = join(me.work, 'petasos-backend-acme');
  await me.npm(['install'], folder);

  // Their own part: the place knows who asked, and says so.
  const driver = join(folder, 'src/driver.ts');
  const before = await readFile(driver, 'utf8');
  const after = before.replace('PETASOS_SANDBOX: ref.id }', "PETASOS_SANDBOX: ref.id, ACME_PLACE: 'acme' }");
  expect(after).not.toBe(before);
  await writeFile(driver, after);
  await me.npm(['run', 'build'], folder);

  const proof = await me.petasos(['conformance', '.', '--json'], folder);
  const report = JSON.parse(proof.stdout) as { failed: number; passed: number; results: { id: string; status: string }[] };
  expect(report.results.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(proof.status).toBe(0);
  expect(report.passed).toBeGreaterThan(150);
  console.log(`the scaffold of a backend: ${report.passed} scenarios passed`);

  const tarball = (await me.npm(['pack', '--silent'], folder)).trim();
  const contents = await must('tar', ['-tzf', join(folder, tarball)], options);
  expect(contents.trim().split('\n').sort()).toEqual(
    ['README.md', 'dist/driver.d.ts', 'dist/driver.js', 'dist/index.d.ts', 'dist/index.js', 'package.json']
      .map((path) => `package/${path}`)
      .sort(),
  );

  // Into the user's plugin directory, for a global CLI.
  const added = await me.petasos(['plugin', 'add', join(folder, tarball)]);
  expect(added).toMatchObject({ status: 0, stderr: 'Added petasos-backend-acme 0.1.0. Next: petasos setup acme\n' });
  expect(await me.petasos(['run', '--sandbox', 'acme', '--', 'echo "$ACME_PLACE"'])).toMatchObject({ status: 0, stdout: 'acme\n' });
  expect((await me.petasos(['plugin', 'ls'])).stdout).toMatch(/^acme +petasos-backend-acme +0\.1\.0 +in the user's plugin directory/m);
  expect(await me.petasos(['plugin', 'rm', 'acme'])).toMatchObject({ status: 0, stderr: 'Removed petasos-backend-acme.\n' });
  expect((await me.petasos(['run', '--sandbox', 'acme', '--', 'true'])).status).toBe(125);

  // Published, and beside a global CLI.
  await me.npm(['publish', join(folder, tarball)], folder);
  await me.npm(['install', '--global', 'petasos-backend-acme']);
  expect(await me.petasos(['run', '--sandbox', 'acme', '--', 'echo "$ACME_PLACE"'])).toMatchObject({ status: 0, stdout: 'acme\n' });
  expect((await me.petasos(['plugin', 'ls'])).stdout).toMatch(/^acme +petasos-backend-acme +0\.1\.0 +beside the CLI/m);

  // What is no backend is taken out again.
  const refused = await me.petasos(['plugin', 'add', 'picocolors']);
  expect(refused).toMatchObject({ status: 1 });
  expect(refused.stderr).toMatch(/^petasos: picocolors was not added: it is not a backend: its package\.json has no petasos field/);
  expect(JSON.parse((await me.petasos(['plugin', 'ls', '--json'])).stdout)).toMatchObject({ problems: [] });
  // The whole suite runs in it, which takes a busy machine some minutes.
}, 600_000);
