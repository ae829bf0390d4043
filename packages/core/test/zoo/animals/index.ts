import type { Animal } from '../animal.js';
import { backgroundAnimals } from './background.js';
import { concurrencyAnimals } from './concurrency.js';
import { cwdAnimals } from './cwd.js';
import { disconnectAnimals } from './disconnect.js';
import { endAnimals } from './ends.js';
import { envAnimals } from './env.js';
import { errorAnimals } from './errors.js';
import { fileAnimals } from './files.js';
import { jobAnimals } from './jobs.js';
import { leakAnimals } from './leaks.js';
import { lifecycleAnimals } from './lifecycle.js';
import { optionAnimals } from './options.js';
import { outputAnimals } from './output.js';
import { placementAnimals } from './placement.js';
import { powerAnimals } from './powers.js';
import { shellAnimals } from './shell.js';
import { stdinAnimals } from './stdin.js';
import { terminalAnimals } from './terminal.js';
import { textAnimals } from './text.js';
import { transferAnimals } from './transfer.js';

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
  ...optionAnimals,
  ...shellAnimals,
  ...jobAnimals,
  ...fileAnimals,
  ...transferAnimals,
  ...lifecycleAnimals,
  ...placementAnimals,
  ...powerAnimals,
  ...terminalAnimals,
  ...disconnectAnimals,
  ...leakAnimals,
];
