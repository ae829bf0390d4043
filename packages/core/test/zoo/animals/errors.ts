import type { ExecOptions } from '../../../src/sandbox/types.js';
import { type Animal, breakBackend, breakExec, breakSandbox } from '../animal.js';

const knownOptions = new Set(
  Object.keys({
    cwd: 1,
    env: 1,
    timeoutMs: 1,
    idleTimeoutMs: 1,
    graceMs: 1,
    signal: 1,
    maxOutputBytes: 1,
    spillDirectory: 1,
    onStdout: 1,
    onStderr: 1,
    stdin: 1,
  } satisfies Record<keyof ExecOptions, 1>),
);

export const errorAnimals: readonly Animal[] = [
  {
    name: 'ignores unknown options',
    caughtBy: 'E13.unknown-option',
    breakIt: breakExec((sandbox, command, options) =>
      sandbox.exec(command, Object.fromEntries(Object.entries(options).filter(([name]) => knownOptions.has(name)))),
    ),
  },
  {
    name: 'ignores unknown options of its own',
    caughtBy: 'E13.unknown-open-option',
    breakIt: breakBackend(({ options }) => ({
      options: { '~standard': { ...options['~standard'], validate: () => options['~standard'].validate({}) } },
    })),
  },
  {
    name: 'takes a negative timeout for none',
    caughtBy: 'E13.bad-value',
    breakIt: breakExec((sandbox, command, { timeoutMs, ...options }) =>
      sandbox.exec(command, { ...options, timeoutMs: timeoutMs !== undefined && timeoutMs > 0 ? timeoutMs : undefined }),
    ),
  },
  {
    name: 'throws a plain Error for what it does not support',
    caughtBy: 'E13.unsupported',
    breakIt: breakSandbox(() => ({
      pause: async () => {
        throw new Error('pause is not supported');
      },
    })),
  },
  {
    name: 'throws a plain Error for a bad request',
    caughtBy: 'E13.shape',
    breakIt: breakExec(async (sandbox, command, options) => {
      try {
        return await sandbox.exec(command, options);
      } catch (error) {
        throw new Error(String(error));
      }
    }),
  },
];
