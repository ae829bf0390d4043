import type { ConfigKey } from './key-types.js';

export type ConfigValue = string | number | boolean | readonly string[] | Readonly<Record<string, string>>;

/** Either the value, or what is wrong with it as the end of a sentence: `must be …`. */
export type Checked = { readonly value: ConfigValue; readonly notice?: string } | { readonly problem: string };

const trueWords = new Set(['true', 'yes', 'on', '1']);
const falseWords = new Set(['false', 'no', 'off', '0']);
const wholeNumber = /^\s*[+-]?\d+(?:_\d+)*\s*$/;
const anyNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)\s*$/;
const names = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list of texts',
  map: 'a map of names to texts',
};

type Expected = Pick<ConfigKey, 'type' | 'oneOf' | 'aliases'>;

/** `source` is the text in the file: it keeps what YAML makes of `3.10` from losing its zero, and of `off` from being false. */
export function checkYamlValue(entry: Expected, value: unknown, source: string | undefined): Checked {
  switch (entry.type) {
    case 'string':
      if (typeof value === 'string') return checkWord(entry, value);
      if (typeof value === 'number') return checkWord(entry, source ?? String(value));
      if (typeof value === 'boolean' && source !== undefined && entry.oneOf?.includes(source)) return { value: source };
      break;
    case 'integer':
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return { value };
      if (typeof value === 'string') return fromText(entry, value);
      break;
    case 'number':
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return { value };
      if (typeof value === 'string') return fromText(entry, value);
      break;
    case 'boolean':
      if (typeof value === 'boolean') return { value };
      if (typeof value === 'string' || value === 0 || value === 1) return fromText(entry, String(value));
      break;
    case 'list':
      if (Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number'))
        return { value: value.map(String) };
      break;
    case 'map':
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return checkMap(value);
      break;
  }
  return wrong(entry, value);
}

function checkWord({ oneOf, aliases }: Expected, value: string): Checked {
  if (oneOf === undefined || oneOf.includes(value)) return { value };
  const same = aliases !== undefined && Object.hasOwn(aliases, value) ? aliases[value] : undefined;
  if (same !== undefined) return { value: same };
  return { problem: `must be one of ${oneOf.join(', ')}, not ${JSON.stringify(value)}` };
}

function checkMap(value: object): Checked {
  const entries = Object.entries(value).map(([name, item]): [string, string] | undefined => {
    if (typeof item === 'boolean') return [name, item ? 'True' : 'False'];
    return typeof item === 'string' || typeof item === 'number' ? [name, String(item)] : undefined;
  });
  const good = entries.filter((item) => item !== undefined);
  return good.length === entries.length ? { value: Object.fromEntries(good) } : wrong({ type: 'map' }, value);
}

/** A value from a command line: lists and maps as JSON. */
export function fromText(entry: Expected, text: string): Checked {
  switch (entry.type) {
    case 'string':
      return checkWord(entry, text);
    case 'integer':
      return wholeNumber.test(text) && Number(text.replaceAll('_', '')) >= 0
        ? { value: Number(text.replaceAll('_', '')) }
        : wrong(entry, text);
    case 'number':
      return anyNumber.test(text) && Number(text) >= 0 ? { value: Number(text) } : wrong(entry, text);
    case 'boolean': {
      const word = text.trim().toLowerCase();
      return trueWords.has(word) ? { value: true } : falseWords.has(word) ? { value: false } : wrong(entry, text);
    }
    case 'list':
    case 'map':
      return fromJson(entry, text);
  }
}

function fromJson(entry: Expected, text: string): Checked {
  try {
    return checkYamlValue(entry, JSON.parse(text), undefined);
  } catch {
    return { problem: `must be ${names[entry.type]} as JSON` };
  }
}

/**
 * A value from the environment. Variables follow the older reading, in which only `true`, `1` and `yes` are true, so that
 * one environment means the same to every program that reads it; other words are pointed out.
 */
export function fromVariable(entry: Expected, text: string): Checked {
  if (entry.type === 'boolean') {
    const word = text.trim().toLowerCase();
    if (word === 'true' || word === '1' || word === 'yes') return { value: true };
    return falseWords.has(word)
      ? { value: false }
      : { value: false, notice: `${JSON.stringify(text)} counts as false; only true, 1 and yes are true` };
  }
  if (entry.type === 'list' && !text.trimStart().startsWith('[')) {
    const value = text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return { value, notice: 'is not JSON; it is read as a list with commas' };
  }
  return fromText(entry, text);
}

function wrong(entry: Expected, value: unknown): { readonly problem: string } {
  return { problem: `must be ${names[entry.type]}, not ${describe(value)}` };
}

function describe(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a section';
  return JSON.stringify(value);
}
