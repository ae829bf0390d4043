import type { ExecResult } from '../../../src/sandbox/types.js';
import { type Animal, breakExec, breakSandbox, quote } from '../animal.js';

/** Watches a command from inside the place and ends it in some wrong way; `kill` is shell text in which `$p` is its leader. */
const watchdog = (kill: string) =>
  breakExec(async (sandbox, command, { timeoutMs, graceMs: _, ...options }) => {
    if (timeoutMs === undefined) return sandbox.exec(command, options);
    const watched = `set -m
sh -c ${quote(command)} & p=$!
(sleep ${timeoutMs / 1000}; ${kill}; kill -KILL $$) & w=$!
wait $p; status=$?
kill -KILL -- -$w
exit $status`;
    const result = await sandbox.exec(watched, options);
    return result.ended === 'signaled' || (result.exitCode ?? 0) > 128 ? timedOut(result) : result;
  });

const timedOut = (result: ExecResult): ExecResult => ({ ...result, ended: 'timed-out', exitCode: null, signal: null });

const onTimeout = (change: (result: ExecResult) => ExecResult) =>
  breakExec(async (sandbox, command, options) => {
    const result = await sandbox.exec(command, options);
    return result.ended === 'timed-out' ? change(result) : result;
  });

export const endAnimals: readonly Animal[] = [
  {
    name: 'takes a time that no timer can hold for none',
    caughtBy: 'E5.far',
    breakIt: breakExec((sandbox, command, options) =>
      sandbox.exec(command, { ...options, ...((options.timeoutMs ?? 0) > 2 ** 31 - 1 && { timeoutMs: 1 }) }),
    ),
  },
  { name: 'kills only the leader', caughtBy: 'E5.child', breakIt: watchdog('kill -KILL $p') },
  { name: 'misses setsid children', caughtBy: 'E5.setsid-child', breakIt: watchdog('kill -KILL -- -$p') },
  { name: 'gives up on a child that ignores TERM', caughtBy: 'E5.ignores-term', breakIt: watchdog('kill -TERM -- -$p; sleep 0.2') },
  {
    name: 'kills at once, without TERM',
    caughtBy: 'E5.term-first',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(command, { ...options, graceMs: 0 })),
  },
  {
    name: 'reports a timeout as exit 124',
    caughtBy: 'E5.returns',
    breakIt: onTimeout((result) => ({ ...result, ended: 'exited', exitCode: 124 })),
  },
  {
    name: 'loses partial output at a timeout',
    caughtBy: 'E5.partial-output',
    breakIt: onTimeout((result) => {
      const stdout = { ...result.output.stdout, bytes: new Uint8Array(), text: '', totalBytes: 0 };
      return { ...result, stdout: '', output: { ...result.output, stdout } };
    }),
  },
  {
    name: 'enforces the timeout on the client only',
    caughtBy: 'E5.where-it-runs',
    breakIt: breakExec(async (sandbox, command, { timeoutMs, ...options }) => {
      if (timeoutMs === undefined) return sandbox.exec(command, options);
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), timeoutMs);
      const result = await sandbox.exec(command, { ...options, signal: controller.signal });
      clearTimeout(timer);
      return result.ended === 'aborted' ? timedOut(result) : result;
    }),
  },
  {
    name: 'ignores the idle timeout',
    caughtBy: 'E5.idle',
    breakIt: breakExec((sandbox, command, { idleTimeoutMs: _, ...options }) => sandbox.exec(command, options)),
  },
  {
    name: 'ends a neighbour together with a command that took too long',
    caughtBy: 'E5.others-live',
    breakIt: breakSandbox((sandbox) => {
      const running = new Set<AbortController>();
      return {
        exec: async (command, options = {}) => {
          const controller = new AbortController();
          options.signal?.addEventListener('abort', () => controller.abort());
          running.add(controller);
          const result = await sandbox.exec(command, { ...options, signal: controller.signal });
          running.delete(controller);
          if (result.ended === 'timed-out') for (const other of running) other.abort();
          return result;
        },
      };
    }),
  },
  {
    name: 'never returns after abort',
    caughtBy: 'E6.during',
    breakIt: breakExec(async (sandbox, command, options) => {
      const result = await sandbox.exec(command, options);
      return result.ended === 'aborted' ? new Promise(() => {}) : result;
    }),
  },
  {
    name: 'runs although aborted before',
    caughtBy: 'E6.before-the-start',
    breakIt: breakExec(async (sandbox, command, { signal, ...options }) => {
      if (!signal?.aborted) return sandbox.exec(command, { ...options, signal });
      const [result, nothing] = [await sandbox.exec(command, options), await sandbox.exec('true')];
      return { ...result, ended: 'aborted', exitCode: null, stdout: '', output: nothing.output };
    }),
  },
  {
    name: 'leaves a listener on the signal',
    caughtBy: 'E6.after-the-end',
    breakIt: breakExec((sandbox, command, options) => {
      options.signal?.addEventListener('abort', () => {});
      return sandbox.exec(command, options);
    }),
  },
  {
    name: 'tells a signal as an exit code',
    caughtBy: 'E3.signal',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`sh -c ${quote(command)}; exit $?`, options)),
  },
  {
    name: 'sends TERM whatever the signal',
    caughtBy: 'spawn.kill-signal',
    breakIt: breakSandbox((sandbox) => ({
      spawn: async (command, options) => {
        const process = await sandbox.spawn(command, options);
        return { ...process, kill: () => process.kill('SIGTERM') };
      },
    })),
  },
];
