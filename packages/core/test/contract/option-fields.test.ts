import { describe, expect, it } from 'vitest';
import { optionFields } from '../../src/contract/index.js';

describe('options of a schema', () => {
  it('are read from its JSON Schema, where it offers one', () => {
    const input = () => ({
      type: 'object',
      properties: {
        region: { type: 'string', description: 'where it runs' },
        size: { enum: ['small', 'large'] },
        nodes: { type: 'integer' },
        tags: { type: 'array' },
        raw: { type: 'object', properties: { level: { type: 'integer', description: 'how much' } } },
        network: { anyOf: [{ enum: ['open', 'none'] }, { properties: { allow: { type: 'array' } } }] },
      },
      required: ['region'],
    });
    expect(optionFields({ '~standard': { version: 1, vendor: 'any', validate: () => ({}), jsonSchema: { input } } })).toEqual([
      { name: 'region', kind: 'text', required: true, description: 'where it runs' },
      { name: 'size', kind: 'choice', required: false, choices: ['small', 'large'] },
      { name: 'nodes', kind: 'number', required: false },
      { name: 'tags', kind: 'list', required: false },
      {
        name: 'raw',
        kind: 'other',
        required: false,
        fields: [{ name: 'level', kind: 'number', required: false, description: 'how much' }],
      },
      { name: 'network', kind: 'other', required: false, fields: [{ name: 'allow', kind: 'list', required: false }] },
    ]);
  });

  it('are read from the structure of a valibot schema, with the last description of a pipe', () => {
    const word = { type: 'string', pipe: [{ type: 'string' }, { type: 'description', description: 'a word' }] };
    const entries = {
      any: word,
      region: { type: 'string', pipe: [word, { type: 'regex' }, { type: 'description', description: 'where it runs' }] },
      checked: { type: 'optional', wrapped: { type: 'string', pipe: [word, { type: 'regex' }] } },
      size: { type: 'optional', wrapped: { type: 'picklist', options: ['small', 'large'] } },
      network: {
        type: 'union',
        options: [
          { type: 'picklist', options: ['open'] },
          { type: 'strict_object', entries: { allow: { type: 'array' } } },
        ],
      },
    };
    const schema = {
      '~standard': { version: 1, vendor: 'valibot', validate: () => ({}) },
      type: 'optional',
      wrapped: { type: 'object', entries },
    };
    expect(optionFields(schema)).toEqual([
      { name: 'any', kind: 'text', required: true, description: 'a word' },
      { name: 'region', kind: 'text', required: true, description: 'where it runs' },
      { name: 'checked', kind: 'text', required: false, description: 'a word' },
      { name: 'size', kind: 'choice', required: false, choices: ['small', 'large'] },
      { name: 'network', kind: 'other', required: true, fields: [{ name: 'allow', kind: 'list', required: true }] },
    ]);
  });

  it('are none for a schema that tells nothing', () => {
    expect(optionFields({ '~standard': { version: 1, vendor: 'any', validate: () => ({}) } })).toEqual([]);
    expect(optionFields(undefined)).toEqual([]);
  });
});
