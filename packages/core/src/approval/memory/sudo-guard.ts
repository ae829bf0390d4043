import type { Tally } from './tally.js';

const windowMs = 15 * 60_000;
const failuresAllowed = 3;

export interface SudoBlock {
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly failures: number;
}

/**
 * Stops guessing of passwords: after three failed authentications of sudo, doas, su or pkexec in one sandbox within
 * fifteen minutes, further ones are refused for fifteen minutes.
 */
export interface SudoGuard {
  blocked(scope: string): Promise<SudoBlock | undefined>;
  failed(scope: string, failures: number): Promise<void>;
  /** A privileged command that succeeded proves that the password is known. */
  succeeded(scope: string): Promise<void>;
  reset(scope?: string): Promise<void>;
}

export function createSudoGuard(tally: Tally, clock: () => number = Date.now): SudoGuard {
  async function recent(scope: string): Promise<readonly number[]> {
    const marks = (await tally.list(scope)).map((mark) => mark.at);
    const now = clock();
    return marks.filter((at) => at <= now && now - at < windowMs);
  }
  return {
    async blocked(scope) {
      const failures = await recent(scope);
      if (failures.length < failuresAllowed) return undefined;
      return { until: Math.max(...failures) + windowMs, failures: failures.length };
    },
    async failed(scope, failures) {
      if ((await recent(scope)).length === 0) await tally.clear(scope);
      for (let count = 0; count < Math.min(failures, failuresAllowed); count += 1) {
        await tally.add(scope, { at: clock(), note: 'authentication failed' });
      }
    },
    async succeeded(scope) {
      if ((await tally.list(scope)).length > 0 && (await recent(scope)).length < failuresAllowed) await tally.clear(scope);
    },
    reset: (scope) => tally.clear(scope),
  };
}

/** sudo puts the number of attempts first in most of its languages; English and the other programs are matched by words. */
const attempts = /^sudo(?:-rs)?: (\d{1,2}) \p{L}/u;
const sorry =
  /^(?:sorry, try again\.?|sudo(?:-rs)?: (?:authentication failed|incorrect authentication attempt|account validation failure).*|doas: authentication failed|su: authentication failure|error executing command as another user: not authorized)\s*$/i;
const longestLine = 512;

/**
 * Counts failed authentications in what a privileged command wrote to stderr, chunk by chunk. Feed it the stderr of a
 * command whose {@link GatePass} says `watchSudo`, and put {@link failures} into the outcome.
 */
export class SudoFailureDetector {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #retries = 0;
  #summary = 0;

  push(chunk: Uint8Array | string): void {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.decode(chunk, { stream: true }));
    const lines = text.split('\n');
    this.#rest = (lines.pop() ?? '').slice(-longestLine);
    for (const line of lines) this.#read(line);
  }

  /** Failed authentications so far. sudo's summary repeats the single ones, so the greater number holds. */
  get failures(): number {
    if (this.#rest !== '') {
      this.#read(this.#rest);
      this.#rest = '';
    }
    return Math.max(this.#retries, this.#summary);
  }

  #read(raw: string): void {
    // A prompt without a newline (`[sudo] password for dev: `) may stand before the message on its line.
    const line = raw.replace(/\r$/, '').slice(0, longestLine);
    const message = /(?:^|: ?)(sorry, try again\.?)\s*$/i.exec(line)?.[1] ?? line;
    const count = attempts.exec(message)?.[1];
    if (count !== undefined) this.#summary += Number(count);
    else if (sorry.test(message)) this.#retries += 1;
  }
}
