import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pnpm, publishedPackages, root, run, tool } from '../run.mjs';

const required = ['package/README.md', 'package/LICENSE', 'package/package.json'];
const tests = /\.test\.|\/(test|tests|__tests__)\//;
const allowed =
  /^package\/(package\.json|README\.md|LICENSE|CHANGELOG\.md|bin\/[^/]+\.c?js|dist\/(licenses\/[^/]+\.txt|.+\.(js|d\.ts|js\.map|d\.ts\.map|sh|wasm)))$/;

/** Packs every published package as the registry would get it, and looks at that, not at the folder. */
export async function tarballs() {
  const directory = mkdtempSync(join(tmpdir(), 'petasos-pack-'));
  try {
    const problems = await Promise.all(publishedPackages().map((target) => tarball(directory, target)));
    return problems.flat();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function tarball(directory, { folder, manifest: { name, exports } }) {
  const file = join(directory, `${folder.replaceAll('/', '-')}.tgz`);
  const packed = await pnpm(['pack', '--out', file], { cwd: join(root, folder), capture: true });
  if (packed.code !== 0) return [`${name} cannot be packed:\n${packed.output}`];
  const problems = await contents(name, file);
  const lint = await tool('publint', ['run', file, '--strict'], { capture: true });
  if (lint.code !== 0) problems.push(`publint on ${name}:\n${lint.output}`);
  if (exports?.['.'] === undefined) return problems;
  const types = await tool('attw', [file, '--profile', 'esm-only', '--no-emoji'], { capture: true });
  if (types.code !== 0) problems.push(`attw on ${name}:\n${types.output}`);
  return problems;
}

async function contents(name, file) {
  const { code, output } = await run('tar', ['-tzf', file], { capture: true });
  if (code !== 0) return [`${name}: the tarball cannot be read: ${output}`];
  const entries = output.split('\n').filter((entry) => entry !== '');
  const missing = required.filter((entry) => !entries.includes(entry)).map((entry) => `${name}: the tarball lacks ${entry}`);
  const strange = entries
    .filter((entry) => !allowed.test(entry) || tests.test(entry))
    .map((entry) => `${name}: ${entry} does not belong into the tarball`);
  const built = entries.some((entry) => entry.startsWith('package/dist/')) ? [] : [`${name}: the tarball has no dist; build first`];
  return [...missing, ...strange, ...built];
}
