import type { Context } from '../session/context.js';
import { CliError, UsageError } from './errors.js';
import { exitStatus } from './exit-status.js';
import { widthOf } from './width.js';
import { wrap } from './wrap.js';

export interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** Whether a person sits there: questions go to stderr, so that stdout stays clean. */
export function canAsk({ stdin, stderr }: Context): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** @throws UsageError that says how to do it without questions */
export function requireTerminal(context: Context, command: string, remedy: string): void {
  if (!canAsk(context)) throw new UsageError(`${command} asks questions and needs a terminal`, remedy);
}

export async function confirm(context: Context, message: string, initialValue = true): Promise<boolean> {
  const prompts = await load();
  return answered(await prompts.confirm({ ...streams(context), message, initialValue }));
}

/** @param problem what is wrong with an answer; undefined when nothing is */
export async function askText(
  context: Context,
  message: string,
  options: { readonly initial?: string | undefined; readonly problem?: (text: string) => string | undefined } = {},
): Promise<string> {
  const prompts = await load();
  const { initial, problem } = options;
  const answer = await prompts.text({
    ...streams(context),
    message: guided(context, message),
    ...(initial === undefined ? {} : { initialValue: initial }),
    validate: (text) => problem?.(text ?? ''),
  });
  // An empty line counts as no text here.
  return answered(answer) ?? '';
}

/** What is typed is never shown. */
export async function askSecret(context: Context, message: string): Promise<string> {
  const prompts = await load();
  return answered(await prompts.password({ ...streams(context), message: guided(context, message), mask: '*' })) ?? '';
}

export async function askChoice<Value extends string>(
  context: Context,
  message: string,
  choices: readonly Choice<Value>[],
  initial?: Value,
): Promise<Value> {
  const prompts = await load();
  const options = choices.map(({ value, label, hint }) => ({ value: value as string, label, ...(hint === undefined ? {} : { hint }) }));
  const answer = answered(
    await prompts.select({ ...streams(context), message, options, ...(initial === undefined ? {} : { initialValue: initial as string }) }),
  );
  const chosen = choices.find(({ value }) => value === answer);
  if (chosen === undefined) throw cancelled();
  return chosen.value;
}

type Prompts = typeof import('@clack/prompts');

/** Loaded only where somebody is asked. */
function load(): Promise<Prompts> {
  return import('@clack/prompts');
}

function streams({ stdin, stderr }: Context) {
  // The library would put each character on a line of its own.
  if (widthOf(stderr) === undefined) Object.assign(stderr, { columns: 80, rows: 24 });
  return { input: stdin, output: stderr };
}

/** Where the library breaks a long question itself, the bar on its left is interrupted. */
function guided(context: Context, message: string): string {
  const { stderr } = context;
  const bar = context.style(stderr).gray('│');
  return wrap(message, (widthOf(stderr) ?? 80) - 4).join(`\n${bar}  `);
}

function answered<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isAnswer(answer)) return answer;
  throw cancelled();
}

/** A symbol stands for Ctrl-C. */
function isAnswer<Answer>(answer: Answer): answer is Exclude<Answer, symbol> {
  return typeof answer !== 'symbol';
}

function cancelled(): CliError {
  return new CliError('cancelled; nothing was changed', { status: exitStatus.interrupted, code: 'cancelled' });
}
