import { isDeepStrictEqual } from 'node:util';
import { type Ended, isPetasosError, type PetasosError, type PetasosErrorCode } from '../contract/index.js';
import type { CommandEnd, ExecResult } from '../sandbox/types.js';
import type { Context } from './scenario.js';

/** The place does otherwise than the scenario says. Everything else that is thrown counts as a failure, too. */
class Refuted extends Error {
  override readonly name = 'Refuted';
}

export function fail(message: string): never {
  throw new Refuted(message);
}

export function ensure(condition: boolean, message: string): asserts condition {
  if (!condition) fail(message);
}

/** Compares values deeply; `what` names the thing that was observed, such as `the exit code`. */
export function equal(observed: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(observed, expected)) fail(`${what}: expected ${show(expected)}, observed ${show(observed)}`);
}

/** Compares bytes and says where they part. */
export function sameBytes(observed: Uint8Array, expected: Uint8Array, what: string): void {
  if (Buffer.compare(observed, expected) === 0) return;
  const at = firstDifference(observed, expected);
  const around = (bytes: Uint8Array) => show(Buffer.from(bytes.subarray(Math.max(0, at - 8), at + 24)).toString('latin1'));
  fail(
    `${what}: expected ${expected.length} bytes, observed ${observed.length}; they part at ${at}: ` +
      `expected ${around(expected)}, observed ${around(observed)}`,
  );
}

/** A command that ran to its own end with this status. */
export function exited(result: CommandEnd & Partial<Pick<ExecResult, 'stderr'>>, exitCode = 0): void {
  if (result.ended === 'exited' && result.exitCode === exitCode) return;
  fail(`the command should have exited ${exitCode}, observed ${describeEnd(result)}`);
}

/** A command that was over for this reason. No exit code may be made up for it. */
export function ended(result: CommandEnd & Partial<Pick<ExecResult, 'stderr'>>, reason: Exclude<Ended, 'exited'>): void {
  if (result.ended !== reason) fail(`the command should have ended ${reason}, observed ${describeEnd(result)}`);
}

/** A command that exited 0 and wrote exactly this. */
export function printed(result: ExecResult, stdout: string, stderr = ''): void {
  exited(result);
  equal(result.stdout, stdout, 'stdout');
  equal(result.stderr, stderr, 'stderr');
}

/** The promise must reject with a Petasos error of this code, which is returned. */
export async function rejects(
  promise: Promise<unknown>,
  code: PetasosErrorCode | readonly PetasosErrorCode[],
  what: string,
): Promise<PetasosError> {
  const codes: readonly string[] = typeof code === 'string' ? [code] : code;
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    if (!isPetasosError(error)) fail(`${what}: expected a PetasosError ${codes.join(' or ')}, observed ${describeError(error)}`);
    if (!codes.includes(error.code)) fail(`${what}: expected the code ${codes.join(' or ')}, observed ${describeError(error)}`);
    return error;
  }
  return fail(`${what}: expected the error ${codes.join(' or ')}, observed success: ${show(value)}`);
}

/** Using an undeclared capability must throw `unsupported` and name the backend and the capability. */
export async function unsupported(context: Context, capability: string, use: () => Promise<unknown>): Promise<void> {
  const error = await rejects((async () => use())(), 'unsupported', `using ${capability}, which is not declared`);
  const name = context.subject.backend.name;
  equal(error.backend, name, 'the backend that the error names');
  const named = String(error.data.capability ?? '');
  ensure(
    named === capability || named.startsWith(`${capability}.`) || capability.startsWith(`${named}.`),
    `the error should name the capability ${capability}, observed ${show(named)}`,
  );
  ensure(error.message.includes(name) && error.message.includes(named), `the message should name ${name} and ${named}: ${error.message}`);
}

/** Fails when the work takes longer than `limitMs`; gives its value and how long it took. */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<{ readonly value: T; readonly ms: number }> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refuted(`${what}: still not there after ${limitMs} ms`)), limitMs);
  });
  try {
    const value = await Promise.race([work, late]);
    const ms = performance.now() - started;
    ensure(ms <= limitMs, `${what}: expected within ${limitMs} ms, observed ${Math.round(ms)} ms`);
    return { value, ms };
  } finally {
    clearTimeout(timer);
    work.catch(() => {});
  }
}

/** A value for a message: JSON where it can be, shortened. */
export function show(value: unknown): string {
  if (value instanceof Error) return describeError(value);
  if (value instanceof Uint8Array) return `${value.length} bytes ${show(Buffer.from(value.subarray(0, 48)).toString('latin1'))}`;
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch {
    text = undefined;
  }
  text ??= String(value);
  return text.length > 300 ? `${text.slice(0, 200)}… (${text.length} characters) …${text.slice(-60)}` : text;
}

export function describeError(error: unknown): string {
  if (isPetasosError(error)) return `${error.code}: ${error.message}`;
  if (error instanceof Error) return `${error.name}: ${error.message}`;
  return show(error);
}

function describeEnd(result: CommandEnd & Partial<Pick<ExecResult, 'stderr'>>): string {
  const code = result.exitCode === null ? 'no exit code' : `exit code ${result.exitCode}`;
  const signal = result.signal === null ? '' : `, ${result.signal}`;
  const stderr = result.stderr ? `, stderr ${show(result.stderr)}` : '';
  return `${result.ended} (${code}${signal}) after ${Math.round(result.durationMs)} ms${stderr}`;
}

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const shorter = Math.min(a.length, b.length);
  for (let i = 0; i < shorter; i++) if (a[i] !== b[i]) return i;
  return shorter;
}
