import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError } from '../contract/index.js';
import source from './recorded-call.sh?raw';
import { type FailureVerdict, type RetrySettings, withRetries } from './retry.js';

/** What one request that runs a command brings back. */
export interface CallResult {
  readonly exitCode: number | null;
  /** stdout and stderr as they came. */
  readonly output: string;
}

export interface RecordedCallsSettings {
  readonly backend: string;
  readonly sandbox: string;
  /** Runs the arguments in the place, once for each request that arrives. Must end by itself: a request that hangs is a failure. */
  send(argv: readonly [string, ...string[]], env: Readonly<Record<string, string>> | undefined): Promise<CallResult>;
  /** Which failures of `send` may be followed by another request. It may say yes to all whose outcome is unknown: nothing runs twice. */
  judge(error: unknown): FailureVerdict;
  /** How long it insists; default: as long as {@link withRetries} does. */
  readonly retry?: Pick<RetrySettings, 'attempts' | 'waitAtMostMs' | 'firstPauseMs'> | undefined;
  /** Directory in the place; default `/tmp/.petasos-calls`. Readable by its user alone. */
  readonly directory?: string | undefined;
  /** Ends waiting and repeating. */
  readonly signal?: AbortSignal | undefined;
}

/** It travels with every request. */
const script = source.replace(/^ *#.*\n+/gm, '');

/** Records that the place still keeps. More than this many are not named in one request. */
const forgetAtMost = 50;

/**
 * Commands over requests that may be lost on the way back: each runs once, whatever happens to the answer, because the place keeps its result
 * under a name until the client has it. For services that have no idempotency of their own.
 */
export class RecordedCalls {
  readonly #settings: RecordedCallsSettings;
  readonly #directory: string;
  readonly #received: string[] = [];

  constructor(settings: RecordedCallsSettings) {
    this.#settings = settings;
    this.#directory = settings.directory ?? '/tmp/.petasos-calls';
  }

  /** @throws what `send` throws when repeating does not help; `disconnected` when the place has lost the command. */
  async run(argv: readonly [string, ...string[]], env?: Readonly<Record<string, string>>): Promise<CallResult> {
    const id = randomBytes(16).toString('hex');
    const forget = this.#received.splice(0, forgetAtMost);
    const command = ['/bin/sh', '-c', script, 'petasos-call', this.#directory, id, String(forget.length), ...forget, ...argv] as const;
    for (;;) {
      const result = await withRetries(() => this.#settings.send([...command], env), {
        ...this.#settings.retry,
        backend: this.#settings.backend,
        operation: 'spawn',
        judge: (error) => this.#settings.judge(error),
        signal: this.#settings.signal,
      });
      const said = result.output.trimEnd();
      if (said === `${id} lost`) throw this.#lost();
      if (said !== `${id} pending`) {
        this.#received.push(id);
        return result;
      }
      await delay(100, undefined, { signal: this.#settings.signal });
    }
  }

  /** Lets the place forget what it still keeps. */
  async close(): Promise<void> {
    const records = this.#received.splice(0).map((id) => `${this.#directory}/${id}`);
    if (records.length > 0) await this.#settings.send(['/bin/rm', '-rf', '--', ...records], undefined);
  }

  #lost(): PetasosError {
    const { backend, sandbox } = this.#settings;
    return new PetasosError('disconnected', `${backend} has lost a command in the sandbox ${sandbox}: it ended without a status`, {
      backend,
      operation: 'spawn',
      remedy: 'Check whether the sandbox was stopped meanwhile, and try again.',
    });
  }
}
