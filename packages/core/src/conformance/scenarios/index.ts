import { type Concern, concerns, type Scenario } from '../scenario.js';
import { abort } from './abort.js';
import { background } from './background.js';
import { concurrency } from './concurrency.js';
import { cwd } from './cwd.js';
import { encoding } from './encoding.js';
import { env } from './env.js';
import { errors } from './errors.js';
import { exec } from './exec.js';
import { injection } from './injection.js';
import { kill } from './kill.js';
import { leftBehind } from './left-behind.js';
import { memory } from './memory.js';
import { secrets } from './secrets.js';
import { stdin } from './stdin.js';
import { streams } from './streams.js';
import { text } from './text.js';
import { timeout } from './timeout.js';

const all: readonly Scenario[] = [
  ...exec,
  ...text,
  ...streams,
  ...stdin,
  ...encoding,
  ...memory,
  ...cwd,
  ...env,
  ...secrets,
  ...timeout,
  ...abort,
  ...kill,
  ...background,
  ...concurrency,
  ...injection,
  ...errors,
  ...leftBehind,
];

const order = new Map<Concern, number>(concerns.map((concern, index) => [concern, index]));

/** Every scenario there is, in the order of a run. */
export const allScenarios: readonly Scenario[] = [...all].sort((a, b) => (order.get(a.concern) ?? 0) - (order.get(b.concern) ?? 0));
