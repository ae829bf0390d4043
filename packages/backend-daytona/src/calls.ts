import { type FailureVerdict, PetasosError, RecordedCalls } from '@petasos/core/backend';
import type { Sandbox } from './client.js';
import { asPetasosError, isNotStarted, isUnreachable, judge, readFailure } from './errors.js';
import { ensureStarted } from './states.js';

/** Seconds that one request may take. The command itself may take longer: it is asked for again by its name. */
const requestSeconds = 25;
/** Daytona counts requests until auto-stop in a buffer that may come too late; a refresh is written at once. */
const refreshMs = 60_000;

export interface Calls {
  /** Arguments run in the sandbox once, whatever happens to requests and answers. Wakes the sandbox when it has been stopped. */
  run(
    argv: readonly [string, ...string[]],
    env?: Readonly<Record<string, string>>,
  ): Promise<{ readonly exitCode: number | null; readonly output: string }>;
  /** Milliseconds since the sandbox answered last. */
  silentMs(): number;
  /** Milliseconds for which it has not been reached although it was asked; 0 when the last request arrived. */
  unreachableMs(): number;
  close(): Promise<void>;
}

/** Directory in the sandbox for what is on its way; for its user alone. */
export const callsDirectory = '/tmp/.petasos-calls';

/** `seconds`: how long one request may take. */
export function createCalls(sandbox: Sandbox, name: string, seconds = requestSeconds): Calls {
  const closed = new AbortController();
  let answeredAt = Number.NEGATIVE_INFINITY;
  let unreachableSince: number | undefined;
  let refreshedAt = performance.now();
  const context = { operation: 'exec', sandbox: name };

  const send = async (argv: readonly string[], env: Readonly<Record<string, string>> | undefined) => {
    // A shell reads this from its stdin, which the command must not.
    const text = `exec ${argv.map(quote).join(' ')} </dev/null`;
    const { exitCode, result } = await sandbox.process
      .executeCommand(text, undefined, env ? { ...env } : undefined, seconds)
      .catch((error: unknown) => {
        if (isUnreachable(error)) unreachableSince ??= performance.now();
        throw error;
      });
    answeredAt = performance.now();
    unreachableSince = undefined;
    return { exitCode, output: result };
  };
  const wakeAndSend: typeof send = async (argv, env) => {
    try {
      return await send(argv, env);
    } catch (error) {
      if (!isNotStarted(error)) throw error;
      await ensureStarted({ sandbox, name, operation: 'exec', signal: closed.signal });
      return send(argv, env);
    }
  };
  const recorded = new RecordedCalls({
    backend: 'daytona',
    sandbox: name,
    directory: callsDirectory,
    send: wakeAndSend,
    judge: judgeCall,
    signal: closed.signal,
  });

  return {
    async run(argv, env) {
      if (performance.now() - refreshedAt > refreshMs) {
        refreshedAt = performance.now();
        sandbox.refreshActivity().catch(() => {});
      }
      try {
        return await recorded.run(argv, env);
      } catch (error) {
        if (closed.signal.aborted)
          throw new PetasosError('disconnected', `the sandbox ${name} of daytona was closed`, { backend: 'daytona', cause: error });
        throw asPetasosError(error, context);
      }
    },
    silentMs: () => performance.now() - answeredAt,
    unreachableMs: () => (unreachableSince === undefined ? 0 : performance.now() - unreachableSince),
    async close() {
      await recorded.close().catch(() => {});
      closed.abort();
    },
  };
}

/** A call is recorded in the sandbox, so it may be asked for again after any failure whose outcome is unknown. */
function judgeCall(error: unknown): FailureVerdict {
  const { status, code } = readFailure(error);
  if (status === 408 && code === 'PROCESS_EXECUTION_TIMEOUT') return { retry: true, afterMs: 0, reason: 'the command takes long' };
  return judge(error);
}

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
