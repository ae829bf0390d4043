import { text } from 'node:stream/consumers';
import type { DriverProcess } from '@petasos/core/backend';

/** Both generations of control groups; the file of the other one is not there. */
const argv = ['cat', '/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'] as const;

/** Tells whether a process was killed for want of memory since the last look: the kernel counts such kills for each container. */
export class OutOfMemory {
  readonly #run: (argv: readonly [string, ...string[]]) => Promise<DriverProcess>;
  #seen: Promise<number | undefined>;

  /** @param seen kills that are known from before; undefined: they are counted now. */
  constructor(run: (argv: readonly [string, ...string[]]) => Promise<DriverProcess>, seen: number | undefined) {
    this.#run = run;
    this.#seen = seen === undefined ? this.#count() : Promise.resolve(seen);
  }

  async killed(): Promise<boolean> {
    const [before, now] = [await this.#seen, await this.#count()];
    this.#seen = Promise.resolve(now);
    return now !== undefined && now > (before ?? now);
  }

  async #count(): Promise<number | undefined> {
    try {
      const process = await this.#run(argv);
      process.stderr?.resume();
      const found = /^oom_kill (\d+)$/m.exec(await text(process.stdout))?.[1];
      return found === undefined ? undefined : Number(found);
    } catch {
      return undefined;
    }
  }
}
