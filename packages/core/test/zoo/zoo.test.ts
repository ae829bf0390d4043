import { afterAll, describe, expect, it } from 'vitest';
import { allScenarios, runConformance } from '../../src/conformance/index.js';
import type { Animal } from './animal.js';
import { animals } from './animals/index.js';
import { healthy } from './local.js';

interface Caught {
  readonly animal: Animal;
  readonly observed: string;
}

/** The tests run one after the other: a scenario about time must not wait for a neighbour. */
describe('the zoo: places broken on purpose, each rejected by the scenario that names its fault', () => {
  const caught: Caught[] = [];

  it.each(animals.map((animal) => [animal.name, animal.caughtBy, animal] as const))('%s: rejected by %s', async (_name, id, animal) => {
    const scenarios = animal.after === undefined ? [id] : [animal.after, id];
    const { results } = await runConformance(animal.breakIt(healthy), { scenarios });
    const last = results.at(-1);
    expect([last?.id, last?.status]).toEqual([id, 'failed']);
    caught.push({ animal, observed: last?.observed ?? '' });
  });

  it('has at least 45 animals with different names', () => {
    expect(new Set(animals.map((animal) => animal.name)).size).toBe(animals.length);
    expect(animals.length).toBeGreaterThanOrEqual(45);
  });

  it('names scenarios that exist', () => {
    const known = new Set(allScenarios.map((scenario) => scenario.id));
    expect(animals.filter((animal) => !known.has(animal.caughtBy)).map((animal) => animal.name)).toEqual([]);
  });

  afterAll(() => {
    const width = Math.max(0, ...caught.map(({ animal }) => animal.name.length));
    const scenarioWidth = Math.max(0, ...caught.map(({ animal }) => animal.caughtBy.length));
    const lines = caught.map(({ animal, observed }) => {
      const seen = observed.replace(/\s+/g, ' ');
      return `${animal.name.padEnd(width)}  ${animal.caughtBy.padEnd(scenarioWidth)}  ${seen.length > 110 ? `${seen.slice(0, 109)}…` : seen}`;
    });
    process.stdout.write(`\nThe zoo: ${caught.length} of ${animals.length} rejected\n${lines.join('\n')}\n\n`);
  });
});
