#!/usr/bin/env node
// The README's decision table, from what each backend declares. `--write` puts it there; without, it is printed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, workspacePackages } from './run.mjs';

const readme = join(root, 'README.md');
const between = /(<!-- decision-table: written by scripts\/decision-table\.mjs -->\n)[\s\S]*?(<!-- \/decision-table -->)/;

/** Reads the built backends: the table says what a user's installed package says. */
async function traits() {
  const rows = [];
  for (const { folder, manifest } of workspacePackages()) {
    if (manifest.petasos?.backend === undefined) continue;
    const entry = join(root, folder, manifest.petasos.backend);
    if (!existsSync(entry)) throw new Error(`${folder} is not built; run: npx pnpm run build`);
    const { default: backend } = await import(pathToFileURL(entry).href);
    rows.push({ name: backend.name, ...backend.traits });
  }
  // The embedded default first, the rest by name.
  return rows.sort((a, b) => Number(b.name === 'local') - Number(a.name === 'local') || a.name.localeCompare(b.name));
}

async function table() {
  const cell = (text) => text.replaceAll('|', '\\|');
  const lines = (await traits()).map(
    ({ name, title, isolation, startup, cost, persistence, goodFor }) =>
      `| \`${name}\` | ${[title, isolation, startup, cost, persistence, goodFor].map(cell).join(' | ')} |`,
  );
  return ['| backend | where | isolation | start-up | cost | persistence | good for |', '|---|---|---|---|---|---|---|', ...lines, ''].join(
    '\n',
  );
}

/** @returns {Promise<string[]>} problems */
export async function decisionTable() {
  const text = readFileSync(readme, 'utf8');
  if (!between.test(text)) return ['README.md has no place for the decision table'];
  return (await rewritten(text)) === text ? [] : ['README.md: the decision table is old; run: node scripts/decision-table.mjs --write'];
}

async function rewritten(text) {
  const fresh = await table();
  return text.replace(between, (_, start, end) => `${start}${fresh}${end}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--write')) writeFileSync(readme, await rewritten(readFileSync(readme, 'utf8')));
  else console.log(await table());
}
