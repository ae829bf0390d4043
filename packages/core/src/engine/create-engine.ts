import type { Capabilities, Driver } from '../contract/index.js';
import { JobRunner } from './job/runner.js';
import { LaneRunner } from './lane/runner.js';
import type { Operator } from './operator.js';
import { type Nonce, randomNonce } from './random.js';
import { runOperator } from './run-operator.js';
import type { Runner } from './runner.js';
import { findScratch } from './scratch.js';
import { SpawnOperator } from './spawn-operator.js';

export interface Engine {
  readonly runner: Runner;
  readonly operator: Operator;
  readonly nonce: Nonce;
  /** The engine's own directory in the place. */
  scratch(): Promise<string>;
}

/** Warm lanes where the driver's streams allow them, jobs that are read by offset everywhere else. */
export function createEngine(driver: Driver, capabilities: Capabilities, nonce: Nonce = randomNonce): Engine {
  const live = capabilities.stdin === 'stream' && capabilities.streams === 'separate' && capabilities.bytes === 'bytes';
  let found: Promise<string> | undefined;
  const scratch = (): Promise<string> => {
    if (driver.scratch) return Promise.resolve(driver.scratch);
    found ??= findScratch(engine.operator, driver.ref.id, driver.ref.backend).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  const engine: Engine = live ? lanes(driver, capabilities, nonce, scratch) : jobs(driver, capabilities, nonce, scratch);
  return engine;
}

/** Seconds without a word after which a client counts as gone, where nothing else tells; and where the end of its connection does. */
const silence = { onlySign: 20, lastResort: 60 };

function lanes(driver: Driver, capabilities: Capabilities, nonce: Nonce, scratch: () => Promise<string>): Engine {
  const silenceSeconds = capabilities.stdinOutlivesClient ? silence.onlySign : silence.lastResort;
  const runner = new LaneRunner({ driver, nonce, graceMs: 2_000, silenceSeconds });
  return { runner, operator: runOperator(runner, driver.ref.backend), nonce, scratch };
}

function jobs(driver: Driver, capabilities: Capabilities, nonce: Nonce, scratch: () => Promise<string>): Engine {
  const operator = new SpawnOperator(driver, nonce, capabilities.stdin === 'stream');
  return { runner: new JobRunner({ driver, operator, nonce, scratch }), operator, nonce, scratch };
}
