#!/usr/bin/env node
// The README's decision table, and what the CLI knows of backends that are not installed, from what each backend declares. `--write` puts
// them there; without, the table is printed.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readJson, root, workspacePackages } from './run.mjs';

const readme = join(root, 'README.md');
/** What the CLI knows of the published backends without having them: names, and which needs they meet. */
const known = join(root, 'packages/cli/src/plugins/known-backends.json');
const between = /(<!-- decision-table: written by scripts\/decision-table\.mjs -->\n)[\s\S]*?(<!-- \/decision-table -->)/;

/** Reads the built backends: the table says what a user's installed package says. */
async function traits() {
  const rows = [];
  for (const { folder, manifest } of workspacePackages()) {
    if (manifest.petasos?.backend === undefined) continue;
    const entry = join(root, folder, manifest.petasos.backend);
    if (!existsSync(entry)) throw new Error(`${folder} is not built; run: npx pnpm run build`);
    const { default: backend } = await import(pathToFileURL(entry).href);
    rows.push({ name: backend.name, packageName: manifest.name, secrets: backend.secrets, ...backend.traits });
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
  const remedy = 'run: node scripts/decision-table.mjs --write';
  return [
    ...((await rewritten(text)) === text ? [] : [`README.md: the decision table is old; ${remedy}`]),
    ...((await knownText()) === readFileSync(known, 'utf8') ? [] : [`known-backends.json of the CLI is old; ${remedy}`]),
  ];
}

/** A published backend that this workspace does not have stays as it is. */
async function knownText() {
  const entries = readJson(known);
  for (const { name, packageName, title, suits = entries[name]?.suits ?? [], secrets } of await traits()) {
    // A short title is the place; the list shows it beside the name.
    entries[name] = { packageName, title, suits, secrets: [...secrets] };
  }
  return `${JSON.stringify(entries, null, 2)}\n`;
}

async function rewritten(text) {
  const fresh = await table();
  return text.replace(between, (_, start, end) => `${start}${fresh}${end}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  if (process.argv.includes('--write')) {
    writeFileSync(readme, await rewritten(readFileSync(readme, 'utf8')));
    writeFileSync(known, await knownText());
  } else console.log(await table());
}
