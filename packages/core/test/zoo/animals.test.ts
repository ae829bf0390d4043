import { describe, expect, it } from 'vitest';
import { allScenarios } from '../../src/conformance/index.js';
import { animals } from './animals/index.js';

describe('the animals', () => {
  it('are at least 45, with different names', () => {
    expect(new Set(animals.map((animal) => animal.name)).size).toBe(animals.length);
    expect(animals.length).toBeGreaterThanOrEqual(45);
  });

  it('name scenarios that exist', () => {
    const known = new Set(allScenarios.map((scenario) => scenario.id));
    expect(animals.filter((animal) => !known.has(animal.caughtBy)).map((animal) => animal.name)).toEqual([]);
  });
});
