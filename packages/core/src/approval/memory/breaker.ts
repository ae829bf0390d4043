import type { Mark, Tally } from './tally.js';

export interface BreakerState {
  readonly scope: string;
  readonly open: boolean;
  /** Denials since the last approval by a person or the last reset, oldest first; notes are redacted commands. */
  readonly denials: readonly Mark[];
}

/**
 * Opens after three denials in a row in one sandbox: from then on what would be asked is refused, until a person resets
 * it. Only a person's approval ends a row; harmless commands between do not, else an agent could go on trying with an
 * `ls` after every second attempt.
 */
export interface Breaker {
  state(scope: string): Promise<BreakerState>;
  denied(scope: string, mark: Mark): Promise<void>;
  approved(scope: string): Promise<void>;
  list(): Promise<readonly BreakerState[]>;
  /** Absent: every scope. */
  reset(scope?: string): Promise<void>;
}

export function createBreaker(tally: Tally, limit = 3): Breaker {
  async function state(scope: string): Promise<BreakerState> {
    const denials = await tally.list(scope);
    return { scope, open: denials.length >= limit, denials };
  }
  return {
    state,
    async denied(scope, mark) {
      // An open breaker has seen enough: what follows would only fill the directory.
      if (!(await state(scope)).open) await tally.add(scope, mark);
    },
    async approved(scope) {
      if ((await tally.list(scope)).length > 0) await tally.clear(scope);
    },
    async list() {
      return Promise.all((await tally.scopes()).map(state));
    },
    reset: (scope) => tally.clear(scope),
  };
}
