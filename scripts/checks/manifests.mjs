import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJson, root, workspacePackages } from '../run.mjs';

const exact = /^(\d+\.\d+\.\d+(-[\w.]+)?|workspace:[\^*])$|^npm:.+@\d+\.\d+\.\d+$/;
const pinned = ['dependencies', 'devDependencies', 'optionalDependencies'];

/** Versions are exact, and the lockfile works with any registry: it names packages, never addresses. */
export async function manifests() {
  const problems = [];
  const all = [{ folder: '.', manifest: readJson(join(root, 'package.json')) }, ...workspacePackages()];
  for (const { folder, manifest } of all) {
    for (const kind of pinned) {
      for (const [name, range] of Object.entries(manifest[kind] ?? {})) {
        if (!exact.test(range)) problems.push(`${folder}/package.json: ${kind}.${name} is ${range}; pin an exact version`);
      }
    }
    if (manifest.private === true) continue;
    if (manifest.license !== 'MIT') problems.push(`${folder}/package.json: license must be MIT`);
    if (manifest.engines?.node !== '>=20.19') problems.push(`${folder}/package.json: engines.node must be >=20.19`);
    if (manifest.publishConfig?.provenance !== true) problems.push(`${folder}/package.json: publishConfig.provenance must be true`);
    for (const script of ['preinstall', 'install', 'postinstall']) {
      if (manifest.scripts?.[script] !== undefined)
        problems.push(`${folder}/package.json: no ${script} script may run on a user's machine`);
    }
  }
  const addresses = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      /https?:\/\/|tarball:/.test(line) && !/deprecated:/.test(line) ? [`pnpm-lock.yaml:${index + 1} holds an address`] : [],
    );
  return [...problems, ...addresses];
}
