import type { Driver } from '../contract/index.js';
import type { Engine } from '../engine/create-engine.js';

/** Whether the sandbox sleeps. It wakes by itself: a paused place that a command waits for would look like a hang. */
export class Rest {
  readonly #driver: Driver;
  #paused = false;
  #waking: Promise<void> | undefined;

  constructor(driver: Driver) {
    this.#driver = driver;
  }

  get paused(): boolean {
    return this.#paused;
  }

  async pause(): Promise<void> {
    if (this.#paused) return;
    await this.#driver.pause?.();
    this.#paused = true;
  }

  /** Several that come at once wake it once. */
  wake(): Promise<void> | undefined {
    if (!this.#paused) return undefined;
    this.#waking ??= (async () => {
      await this.#driver.resume?.();
      this.#paused = false;
    })().finally(() => {
      this.#waking = undefined;
    });
    return this.#waking;
  }
}

/** The same engine, which wakes the place before it asks anything of it. */
export function awake(engine: Engine, rest: Rest): Engine {
  const { runner, operator } = engine;
  return {
    ...engine,
    runner: {
      async run(request) {
        await rest.wake();
        return runner.run(request);
      },
      async facts() {
        await rest.wake();
        return runner.facts();
      },
      close: () => runner.close(),
    },
    operator: {
      async operate(script, args, input) {
        await rest.wake();
        return operator.operate(script, args, input);
      },
    },
  };
}
