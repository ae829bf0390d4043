import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Backend } from '@petasos/core';
import { describe, expect, it } from 'vitest';
import { vocabulary } from '../src/config/vocabulary.js';
import { knownBackends } from '../src/plugins/names.js';
import { optionFields } from '../src/setup/option-fields.js';

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
});

describe('options of a schema', () => {
  it('are read from its JSON Schema, where it offers one', () => {
    const input = () => ({
      type: 'object',
      properties: {
        region: { type: 'string', description: 'where it runs' },
        size: { enum: ['small', 'large'] },
        nodes: { type: 'integer' },
        tags: { type: 'array' },
        raw: { type: 'object' },
      },
      required: ['region'],
    });
    expect(optionFields({ '~standard': { version: 1, vendor: 'any', validate: () => ({}), jsonSchema: { input } } })).toEqual([
      { name: 'region', kind: 'text', required: true, description: 'where it runs', choices: undefined },
      { name: 'size', kind: 'choice', required: false, description: undefined, choices: ['small', 'large'] },
      { name: 'nodes', kind: 'number', required: false, description: undefined, choices: undefined },
      { name: 'tags', kind: 'list', required: false, description: undefined, choices: undefined },
      { name: 'raw', kind: 'other', required: false, description: undefined, choices: undefined },
    ]);
  });

  it('are none for a schema that tells nothing', () => {
    expect(optionFields({ '~standard': { version: 1, vendor: 'any', validate: () => ({}) } })).toEqual([]);
    expect(optionFields(undefined)).toEqual([]);
  });
});
