import type { Animal } from '../animal.js';
import { backgroundAnimals } from './background.js';
import { concurrencyAnimals } from './concurrency.js';
import { cwdAnimals } from './cwd.js';
import { endAnimals } from './ends.js';
import { envAnimals } from './env.js';
import { errorAnimals } from './errors.js';
import { outputAnimals } from './output.js';
import { stdinAnimals } from './stdin.js';
import { textAnimals } from './text.js';

/** Every animal, by concern. */
export const animals: readonly Animal[] = [
  ...cwdAnimals,
  ...envAnimals,
  ...stdinAnimals,
  ...outputAnimals,
  ...textAnimals,
  ...endAnimals,
  ...backgroundAnimals,
  ...concurrencyAnimals,
  ...errorAnimals,
];
