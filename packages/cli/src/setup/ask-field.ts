import type { OptionField } from '@petasos/core';
import { looksSecret } from '@petasos/core/backend';
import { parseSettingValue } from '../config/key-value.js';
import { keyEntry } from '../config/vocabulary.js';
import type { Context } from '../session/context.js';
import { askChoice, askSecret, askText } from '../ui/ask.js';
import { describeError } from '../ui/report-error.js';
import { oneLine } from '../ui/text.js';

/** A field with what the configuration knows of it. */
export interface Question {
  readonly field: OptionField;
  /** The key under which an answer is kept. */
  readonly key: string;
  /** What holds as long as nobody answers. */
  readonly now: unknown;
  readonly help: string | undefined;
}

/** Whether a person may be asked for it at leisure: what nobody can type is not, nor is a credential, which has a place of its own. */
export function isAskable({ kind, name }: OptionField): boolean {
  return kind !== 'other' && !isSecret(name);
}

/** `apiKey` is a secret as `API_KEY` is. */
function isSecret(option: string): boolean {
  return looksSecret(option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
}

/** @returns what was answered; undefined: nothing, so that the default holds */
export async function askField(context: Context, question: Question): Promise<unknown> {
  const { field, help } = question;
  const message = help === undefined ? field.name : `${field.name}: ${oneLine(help)}`;
  if (isSecret(field.name)) return (await askSecret(context, message)) || undefined;
  if (field.kind === 'boolean') {
    const answer = await choose(context, question, message, { yes: 'Yes', no: 'No' }, question.now === false ? 'no' : undefined);
    return answer === '' ? undefined : answer === 'yes';
  }
  if (field.kind === 'choice') {
    const labels = Object.fromEntries((field.choices ?? []).map((choice) => [choice, oneLine(choice)]));
    return (await choose(context, question, message, labels, String(question.now))) || undefined;
  }
  return askTyped(context, question, message);
}

/** @returns the empty text where the default is to hold */
function choose(
  context: Context,
  { field, now }: Question,
  message: string,
  labels: Readonly<Record<string, string>>,
  initial: string | undefined,
): Promise<string> {
  const choices = Object.entries(labels).map(([value, label]) => ({ value, label }));
  const unanswered = field.required || now !== undefined ? [] : [{ value: '', label: 'The default' }];
  return askChoice(context, message, [...unanswered, ...choices], initial);
}

async function askTyped(context: Context, { field, key, now }: Question, message: string): Promise<unknown> {
  const entry = keyEntry(key);
  const parse = (text: string): unknown => {
    const words = field.kind === 'list' ? text.split(',').flatMap((item) => item.trim() || []) : [text.trim()];
    if (entry !== undefined) return parseSettingValue(key, entry, words);
    return field.kind === 'list' ? words : field.kind === 'number' ? Number(text) : text.trim();
  };
  const text = await askText(context, field.kind === 'list' ? `${message} (with commas)` : message, {
    initial: now === undefined ? undefined : Array.isArray(now) ? now.join(', ') : String(now),
    problem: (answer) => {
      if (answer.trim() === '') return field.required ? 'It is needed.' : undefined;
      if (field.kind === 'number' && !Number.isFinite(Number(answer))) return 'It must be a number.';
      try {
        parse(answer);
        return undefined;
      } catch (error) {
        return describeError(error).message;
      }
    },
  });
  return text.trim() === '' ? undefined : parse(text);
}
