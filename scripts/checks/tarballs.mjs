import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pnpm, publishedPackages, readJson, root, run, tool } from '../run.mjs';

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
  const unpacked = file.replace(/\.tgz$/, '');
  mkdirSync(unpacked);
  const { code, output } = await run('tar', ['-xzf', file, '-C', unpacked], { capture: true });
  if (code !== 0) return [`${name}: the tarball cannot be read: ${output}`];
  const entries = readdirSync(unpacked, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(unpacked.length + 1));
  const missing = required.filter((entry) => !entries.includes(entry)).map((entry) => `${name}: the tarball lacks ${entry}`);
  const strange = entries
    .filter((entry) => !allowed.test(entry) || tests.test(entry))
    .map((entry) => `${name}: ${entry} does not belong into the tarball`);
  const built = entries.some((entry) => entry.startsWith('package/dist/')) ? [] : [`${name}: the tarball has no dist; build first`];
  return [...missing, ...strange, ...built, ...entries.flatMap((entry) => sourceMapProblems(name, unpacked, entry, entries))];
}

/** A debugger must find what a map names: the map itself, and the text of every source in it. */
function sourceMapProblems(name, unpacked, entry, entries) {
  if (entry.endsWith('.map')) {
    const { sources, sourcesContent = [] } = readJson(join(unpacked, entry));
    const absent = sources.filter((source, index) => sourcesContent[index] == null && !entries.includes(join(dirname(entry), source)));
    return absent.map((source) => `${name}: ${entry} leads to ${source}, which is not in the tarball`);
  }
  if (!/\.c?js$/.test(entry)) return [];
  const [, map] = /\/\/# sourceMappingURL=(\S+)\s*$/.exec(readFileSync(join(unpacked, entry), 'utf8')) ?? [];
  return map === undefined || entries.includes(join(dirname(entry), map))
    ? []
    : [`${name}: ${entry} names ${map}, which is not in the tarball`];
}
