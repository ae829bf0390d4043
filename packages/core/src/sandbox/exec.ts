import { Readable } from 'node:stream';
import { SudoFailureDetector } from '../approval/memory/sudo-guard.js';
import { type GateOperation, type GatePass, isPetasosError, PetasosError } from '../contract/index.js';
import type { Program } from '../engine/runner.js';
import { collect, describeOutput, newCapture } from './collect.js';
import { admit, feed, resolveDirectory, type SandboxCore, start, wake, withoutOutput } from './core.js';
import { beforeDue, OverBeforeStart } from './due.js';
import { checkCommand, checkOptions } from './requests.js';
import type { ExecOptions, ExecResult } from './types.js';

export interface CapturedRun {
  readonly result: ExecResult;
  readonly note: string | undefined;
}

export async function exec(core: SandboxCore, command: string, options: ExecOptions = {}): Promise<ExecResult> {
  core.life.require('exec');
  checkCommand(command, 'exec');
  checkOptions('exec', options);
  const run = await admitted(core, 'exec', command, options, readyIn(core, options.cwd), async () => ({ kind: 'command', text: command }));
  return run.result;
}

/** What is known of the place before the gate is asked. */
interface Readiness {
  readonly cwd: string;
  readonly note?: string | undefined;
}

export function readyIn(core: SandboxCore, cwd: string | undefined): () => Promise<Readiness> {
  return async () => ({ cwd: await resolveDirectory(core, cwd) });
}

/**
 * Asks the gate for `command`, runs what `program` makes of it, and captures the result. A sandbox that ends meanwhile ends the command as
 * well, whether or not it has started.
 *
 * @param ready asks the place; the timeout and the abort of the command hold meanwhile
 */
export async function admitted(
  core: SandboxCore,
  operation: GateOperation,
  command: string,
  options: ExecOptions,
  ready: () => Promise<Readiness>,
  program: () => Promise<Program>,
): Promise<CapturedRun> {
  if (options.signal?.aborted) return nothingRun('aborted');
  const asked = core.now();
  try {
    return await judged(core, operation, command, options, ready, program);
  } catch (error) {
    if (isPetasosError(error, 'aborted')) return nothingRun('aborted');
    if (error instanceof OverBeforeStart) return nothingRun('timed-out', core.now() - asked);
    if (core.life.state === 'open' || !isPetasosError(error)) throw error;
    return nothingRun(core.life.state === 'closed' ? 'aborted' : 'destroyed');
  }
}

async function judged(
  core: SandboxCore,
  operation: GateOperation,
  command: string,
  options: ExecOptions,
  ready: () => Promise<Readiness>,
  program: () => Promise<Program>,
): Promise<CapturedRun> {
  const { env, signal, timeoutMs } = options;
  const asked = core.now();
  // What comes before the start is part of what the command took, and waking the place no part of its timeout; what the gate takes is neither.
  await wake(core, signal);
  const awake = core.now();
  const { cwd, note } = await beforeDue(ready(), { signal, timeoutMs });
  const known = core.now();
  const left = timeoutMs === undefined ? options : { ...options, timeoutMs: Math.max(1, timeoutMs - Math.round(known - awake)) };
  const pass = await admit(core, { operation, command, cwd, env, signal, stdin: describeInput(options.stdin) });
  const sudo = pass.watchSudo ? new SudoFailureDetector() : undefined;
  const startedAt = core.now();
  try {
    const run = await capture(core, operation, await program(), left, cwd, { note, sudo, readyMs: known - asked });
    report(pass, run.result, sudo?.failures);
    return run;
  } catch (error) {
    pass.ended(withoutOutput('failed', core.now() - startedAt));
    throw error;
  }
}

interface CaptureExtra {
  readonly note: string | undefined;
  readonly sudo: SudoFailureDetector | undefined;
  readonly readyMs: number;
}

async function capture(
  core: SandboxCore,
  operation: GateOperation,
  program: Program,
  options: ExecOptions,
  cwd: string,
  { note, sudo, readyMs }: CaptureExtra,
): Promise<CapturedRun> {
  const { stdin } = options;
  const input =
    stdin === undefined ? 'none' : stdin instanceof Readable ? 'stream' : typeof stdin === 'string' ? Buffer.from(stdin) : stdin;
  const started = await start(core, operation, { program, cwd, env: options.env, stdin: input, note }, options);
  const { running } = started;
  const out = collect(running.stdout, newCapture('stdout', options, core.spills), (chunk) => {
    started.touch();
    options.onStdout?.(chunk);
  });
  const err = collect(running.stderr, newCapture('stderr', options, core.spills), (chunk) => {
    started.touch();
    sudo?.push(chunk);
    options.onStderr?.(chunk);
  });
  const fed = stdin instanceof Readable ? feed(stdin, running) : undefined;
  fed?.catch(() => {});
  const [end, stdout, stderr] = await Promise.all([started.ended, out, err]);
  await running.started;
  await fed?.catch((cause: unknown) => {
    throw new PetasosError('invalid-request', 'the stdin stream of the command failed', {
      operation: 'exec',
      backend: core.backend.name,
      cause,
    });
  });
  const output = { stdout: describeOutput(stdout), stderr: describeOutput(stderr) };
  const result: ExecResult = {
    ended: end.ended,
    exitCode: end.exitCode,
    signal: end.signal,
    durationMs: readyMs + end.durationMs,
    get stdout() {
      return output.stdout.text;
    },
    get stderr() {
      return output.stderr.text;
    },
    output,
  };
  return { result, note: end.note };
}

function report(pass: GatePass, result: ExecResult, sudoFailures: number | undefined): void {
  pass.ended({
    ended: result.ended,
    exitCode: result.exitCode,
    durationMs: result.durationMs,
    stdoutBytes: result.output.stdout.totalBytes,
    stderrBytes: result.output.stderr.totalBytes,
    sudoFailures,
  });
}

/** What the gate is told of the input; a stream cannot be read before it is delivered. */
function describeInput(stdin: ExecOptions['stdin']): { readonly text: string | undefined } | undefined {
  if (stdin === undefined) return undefined;
  if (typeof stdin === 'string') return { text: stdin };
  return { text: stdin instanceof Uint8Array ? Buffer.from(stdin).toString('utf8') : undefined };
}

/** The result of a command that ended before it could start. */
export function nothingRun(ended: 'aborted' | 'destroyed' | 'timed-out', durationMs = 0): CapturedRun {
  const empty = { bytes: new Uint8Array(), text: '', totalBytes: 0, cutBytes: 0, spillPath: undefined, spillError: undefined };
  const result = { ended, exitCode: null, signal: null, durationMs, stdout: '', stderr: '', output: { stdout: empty, stderr: empty } };
  return { result, note: undefined };
}
