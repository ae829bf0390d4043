import { Readable } from 'node:stream';
import { PetasosError } from '../contract/index.js';
import { checkEnvironment } from '../engine/environment.js';

type Check = (value: unknown, name: string) => void;

const duration: Check = (value, name) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0)
    throw invalid(`${name} must be a positive number of milliseconds`);
};
const count: Check = (value, name) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw invalid(`${name} must be a whole number that is not negative`);
};
const text: Check = (value, name) => {
  if (typeof value !== 'string') throw invalid(`${name} must be text`);
};
const callback: Check = (value, name) => {
  if (typeof value !== 'function') throw invalid(`${name} must be a function`);
};
const environment: Check = (value, name) => {
  if (typeof value !== 'object' || value === null) throw invalid(`${name} must be an object of names and values`);
  checkEnvironment(value as Record<string, string>);
};
const signal: Check = (value, name) => {
  if (!(value instanceof AbortSignal)) throw invalid(`${name} must be an AbortSignal`);
};
const anything: Check = () => {};
const input: Check = (value, name) => {
  if (typeof value === 'string' || value instanceof Uint8Array || value instanceof Readable) return;
  throw invalid(`${name} must be text, bytes or a readable stream`);
};
const oneOf =
  (...allowed: readonly string[]): Check =>
  (value, name) => {
    if (!allowed.includes(value as string)) throw invalid(`${name} must be one of ${allowed.join(', ')}`);
  };

function invalid(message: string): PetasosError {
  return new PetasosError('invalid-request', message);
}

const command = { cwd: text, env: environment, timeoutMs: duration, idleTimeoutMs: duration, graceMs: count, signal };
const capture = { maxOutputBytes: count, spillDirectory: text, onStdout: callback, onStderr: callback };

/** Every option that an operation knows. An unknown one is an error: silence would mean that it had been honoured. */
const known = {
  exec: { ...command, ...capture, stdin: input },
  spawn: { ...command, stdin: oneOf('pipe', 'none') },
  shell: { cwd: text, env: environment },
  'shell.exec': { ...capture, stdin: input, timeoutMs: duration, idleTimeoutMs: duration, graceMs: count, signal },
  'jobs.start': { cwd: text, env: environment, stdin: oneOf('open', 'none'), timeoutMs: duration, graceMs: count, maxOutputBytes: count },
  'jobs.output': { from: count, stream: oneOf('stdout', 'stderr'), maxBytes: count },
  'jobs.wait': { timeoutMs: duration, signal },
  terminal: { command: text, columns: count, rows: count, cwd: text, env: environment },
  open: {
    name: text,
    options: anything,
    from: text,
    init: anything,
    labels: anything,
    workdir: text,
    idleLimitMs: duration,
    lifetimeMs: duration,
    env: environment,
    envPassthrough: anything,
    envForce: anything,
    hostEnv: anything,
    askSecret: callback,
    gate: anything,
    signal,
    onProgress: callback,
  },
} satisfies Record<string, Record<string, Check>>;

/** @throws `invalid-request` for an option that the operation does not know, or one of the wrong kind. */
export function checkOptions(operation: keyof typeof known, options: object | undefined): void {
  if (options === undefined) return;
  const checks: Record<string, Check> = known[operation];
  for (const [name, value] of Object.entries(options)) {
    const check = checks[name];
    if (!check) {
      throw new PetasosError('invalid-request', `${operation} has no option ${JSON.stringify(name)}`, {
        operation,
        data: { option: name },
        remedy: `Known options: ${Object.keys(checks).join(', ')}.`,
      });
    }
    if (value !== undefined) check(value, `${operation}: ${name}`);
  }
}

export function checkCommand(command: unknown, operation: string): asserts command is string {
  if (typeof command !== 'string') throw new PetasosError('invalid-request', `${operation} needs a command text`, { operation });
  if (command.includes('\0')) throw new PetasosError('invalid-request', 'the command contains a NUL character', { operation });
}
