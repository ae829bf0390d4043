import type { Animal } from './animal.js';

const rule = (pattern: RegExp) => (animal: Animal) => pattern.test(animal.caughtBy);

/** Which test file rejects an animal: several files run at the same time. */
export const houses = {
  commands: rule(/^(E\d+|spawn)\./),
  sessions: rule(/^[SJF]\d+\./),
  places: (animal: Animal): boolean => !houses.commands(animal) && !houses.sessions(animal),
};
