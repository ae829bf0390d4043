import { afterAll, describe, expect, it } from 'vitest';
import { runConformance } from '../../src/conformance/index.js';
import type { Animal } from './animal.js';
import { healthy } from './local.js';

/**
 * One test an animal: the suite must reject it, and by the scenario that names its fault. They run one after the other: a
 * scenario about time must not wait for a neighbour.
 */
export function rejectAll(title: string, animals: readonly Animal[]): void {
  describe(`the zoo, ${title}: places broken on purpose, each rejected by the scenario that names its fault`, () => {
    const caught: (readonly [Animal, string])[] = [];

    it.each(animals.map((animal) => [animal.name, animal.caughtBy, animal] as const))('%s: rejected by %s', async (_name, id, animal) => {
      const scenarios = animal.after === undefined ? [id] : [animal.after, id];
      const { results } = await runConformance(animal.breakIt(healthy), { scenarios });
      const last = results.at(-1);
      expect([last?.id, last?.status]).toEqual([id, 'failed']);
      caught.push([animal, last?.observed ?? '']);
    });

    afterAll(() => {
      process.stdout.write(`\nThe zoo, ${title}: ${caught.length} of ${animals.length} rejected\n${table(caught)}\n\n`);
    });
  });
}

function table(caught: readonly (readonly [Animal, string])[]): string {
  const width = Math.max(0, ...caught.map(([animal]) => animal.name.length));
  const scenarioWidth = Math.max(0, ...caught.map(([animal]) => animal.caughtBy.length));
  const lines = caught.map(([animal, observed]) => {
    const seen = observed.replace(/\s+/g, ' ');
    return `${animal.name.padEnd(width)}  ${animal.caughtBy.padEnd(scenarioWidth)}  ${seen.length > 110 ? `${seen.slice(0, 109)}…` : seen}`;
  });
  return lines.join('\n');
}
