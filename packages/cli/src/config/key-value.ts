import { knownBackends } from '../plugins/names.js';
import { UsageError } from '../ui/errors.js';
import type { ConfigKey } from './key-types.js';
import { unknownKey } from './unknown-key.js';
import { type Checked, fromText } from './values.js';
import { backendNameOf, keyEntry, parseBackendOption, vocabulary } from './vocabulary.js';

const secretName = /(?:^|_)(?:API_KEY|TOKEN|SECRET|PASSWORD)$/i;

/** A variable that holds a credential, by its name: such values are kept apart from the configuration. */
export function isSecretName(key: string): boolean {
  if (vocabulary.some(({ variable }) => variable === key)) return false;
  return (
    /^[A-Z][A-Z0-9_]*$/.test(key) && (secretName.test(key) || Object.values(knownBackends).some(({ secrets }) => secrets.includes(key)))
  );
}

/**
 * The entry of a key from a command line; undefined for an option that a backend defines itself.
 * @throws CliError with the nearest key when there is none of this name
 */
export function requireKey(key: string): ConfigKey | undefined {
  const entry = keyEntry(key);
  if (entry !== undefined || parseBackendOption(key) !== undefined) return entry;
  throw unknownKey(key);
}

/** The value that words of a command line stand for. */
export function parseSettingValue(key: string, entry: ConfigKey | undefined, texts: readonly string[]): unknown {
  const [first = '', ...more] = texts;
  if (entry?.type === 'list') return accept(key, first.startsWith('[') && more.length === 0 ? fromText(entry, first) : { value: texts });
  if (entry?.type === 'map')
    return accept(key, first.startsWith('{') && more.length === 0 ? fromText(entry, first) : { value: pairs(key, texts) });
  if (more.length > 0) throw new UsageError(`${key} takes one value, not ${texts.length}`, 'Put it in quotes if it has blanks.');
  if (entry === undefined) return ownOption(first);
  const value = accept(key, fromText(entry, first));
  return key === 'sandbox' || key === 'terminal.backend' ? backendNameOf(String(value)) : value;
}

function accept(key: string, checked: Checked): unknown {
  if ('problem' in checked) throw new UsageError(`${key}: ${checked.problem}`);
  return checked.value;
}

function pairs(key: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf('=');
      if (equals < 1) throw new UsageError(`${key}: ${JSON.stringify(text)} is not NAME=value`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

/** What only the backend can judge is read as JSON where it is JSON, else as text. */
function ownOption(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
