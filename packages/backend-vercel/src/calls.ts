import { type CallResult, type FailureVerdict, isPetasosError, RecordedCalls } from '@petasos/core/backend';
import type { VercelPlace } from './place.js';

/** Whoever waits for a command is told within five seconds that it is cut off; until then it is asked for again. */
const patienceMs = 3_000;

function verdictOf(error: unknown): FailureVerdict {
  const again = isPetasosError(error) && error.retryable && (error.code === 'disconnected' || error.code === 'unavailable');
  return again ? { retry: true, reason: error.message } : { retry: false };
}

/** Commands of the engine's, each run once whatever becomes of its answer, through the SDK's `runCommand`. */
export class VercelCalls {
  readonly #place: VercelPlace;
  readonly #used: () => void;
  readonly #calls: RecordedCalls;

  /** `used` is called whenever a command is asked for. */
  constructor(place: VercelPlace, used: () => void) {
    this.#place = place;
    this.#used = used;
    this.#calls = new RecordedCalls({
      backend: 'vercel',
      sandbox: place.name,
      send: (argv, env) => this.#send(argv, env),
      judge: verdictOf,
      retry: { waitAtMostMs: patienceMs },
    });
  }

  run(argv: readonly [string, ...string[]], env?: Readonly<Record<string, string>>): Promise<CallResult> {
    this.#used();
    return this.#calls.run(argv, env);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }

  async #send([cmd, ...args]: readonly [string, ...string[]], env: Readonly<Record<string, string>> | undefined): Promise<CallResult> {
    const finished = await this.#place.use('spawn', (session) => session.runCommand({ cmd, args, ...(env && { env }) }));
    return { exitCode: finished.exitCode, output: await finished.stdout() };
  }
}
