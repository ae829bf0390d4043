import { type Concern, concerns, type Scenario } from '../scenario.js';
import { abort } from './abort.js';
import { background } from './background.js';
import { concurrency } from './concurrency.js';
import { cwd } from './cwd.js';
import { disconnect } from './disconnect.js';
import { encoding } from './encoding.js';
import { endOfLife } from './end-of-life.js';
import { env } from './env.js';
import { errors } from './errors.js';
import { exec } from './exec.js';
import { fileErrors } from './file-errors.js';
import { files } from './files.js';
import { forward } from './forward.js';
import { injection } from './injection.js';
import { jobs } from './jobs.js';
import { kill } from './kill.js';
import { largeFile } from './large-file.js';
import { leaks } from './leaks.js';
import { leftBehind } from './left-behind.js';
import { lifecycle } from './lifecycle.js';
import { limits } from './limits.js';
import { memory } from './memory.js';
import { network } from './network.js';
import { options } from './options.js';
import { pause } from './pause.js';
import { placement } from './placement.js';
import { reattach } from './reattach.js';
import { secrets } from './secrets.js';
import { shell } from './shell.js';
import { shellState } from './shell-state.js';
import { snapshot } from './snapshot.js';
import { stdin } from './stdin.js';
import { streams } from './streams.js';
import { terminal } from './terminal.js';
import { text } from './text.js';
import { timeout } from './timeout.js';
import { transfer } from './transfer.js';

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
  ...options,
  ...shellState,
  ...shell,
  ...jobs,
  ...reattach,
  ...files,
  ...fileErrors,
  ...largeFile,
  ...transfer,
  ...lifecycle,
  ...endOfLife,
  ...placement,
  ...pause,
  ...snapshot,
  ...terminal,
  ...forward,
  ...network,
  ...limits,
  ...disconnect,
  ...leaks,
  ...leftBehind,
];

const order = new Map<Concern, number>(concerns.map((concern, index) => [concern, index]));

/** Every scenario there is, in the order of a run. */
export const allScenarios: readonly Scenario[] = [...all].sort((a, b) => (order.get(a.concern) ?? 0) - (order.get(b.concern) ?? 0));
