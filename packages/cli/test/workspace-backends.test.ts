import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Backend, optionFields } from '@petasos/core';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../src/config/vocabulary.js';
import { knownBackends } from '../src/plugins/names.js';

const packages = fileURLToPath(new URL('../..', import.meta.url));
const folders = readdirSync(packages).filter((name) => name.startsWith('backend-'));

describe.each(folders)('%s', (folder) => {
  const load = async () => ((await import(join(packages, folder, 'src/index.ts'))) as { default: Backend }).default;

  it('is known without being installed, and says which need it meets', async () => {
    const { name, traits, secrets } = await load();
    expect(knownBackends[name]).toEqual({ packageName: `@petasos/${folder}`, title: traits.title, suits: traits.suits, secrets });
    expect(traits.suits).not.toEqual([]);
  });

  it('has options that setup can ask for, and every one that the configuration names', async () => {
    const { name, options } = await load();
    const fields = optionFields(options).map((field) => field.name);
    expect(fields).not.toEqual([]);
    const named = vocabulary.flatMap(({ effect }) => (effect.kind === 'option' && effect.backends.includes(name) ? [effect.option] : []));
    expect(named.filter((option) => !fields.includes(option))).toEqual([]);
  });

  it('has every option in its README', async () => {
    const readme = await readFile(join(packages, folder, 'README.md'), 'utf8');
    const fields = optionFields((await load()).options).map((field) => field.name);
    expect(fields.filter((option) => !readme.includes(`\`${option}\``))).toEqual([]);
  });
});
