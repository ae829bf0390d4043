import { homedir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parseDocument } from 'yaml';
import { configError } from '../config/config-error.js';
import { readEnvFile } from '../config/env-file.js';
import { foreignVariables } from '../config/foreign-keys.js';
import type { ConfigKey } from '../config/key-types.js';
import { checkYamlValue, fromVariable } from '../config/values.js';
import { backendNameOf, keyEntry, vocabulary } from '../config/vocabulary.js';
import { readText } from '../config/yaml-text.js';
import { knownBackends } from '../plugins/names.js';
import { lenientMode } from './approvals.js';

/** One thing that is taken over. */
export interface TakenSetting {
  readonly key: string;
  readonly value: unknown;
  readonly from: string;
}

export interface HermesHome {
  readonly files: readonly string[];
  readonly settings: readonly TakenSetting[];
  readonly secrets: ReadonlyMap<string, { readonly value: string; readonly from: string }>;
  /** Patterns over command texts, which become rules. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Keys that Petasos does not honour, each with the reason. */
  readonly refused: readonly string[];
  readonly notes: readonly string[];
  /** Sections that have nothing to do with where commands run. */
  readonly otherSections: readonly string[];
}

export function hermesHome(env: Readonly<Record<string, string | undefined>>): string {
  return env.HERMES_HOME || join(env.HOME || homedir(), '.hermes');
}

/**
 * Reads the `config.yaml` and `.env` of Hermes Agent as that program reads them: keys of the file before variables, YAML 1.1, the last of two
 * equal keys. Nothing is left out without a word.
 */
export async function readHermesHome(home: string, env: Readonly<Record<string, string | undefined>>): Promise<HermesHome> {
  const files: string[] = [];
  const collected = new Collected();
  const configFile = join(home, 'config.yaml');
  const text = await readText(configFile);
  if (text !== undefined) {
    files.push(configFile);
    collected.readConfig(configFile, text);
  }
  const envFile = await readEnvFile(join(home, '.env'), env);
  if (envFile !== undefined) {
    files.push(envFile.path);
    collected.notes.push(...envFile.notices);
    for (const { name, value, line } of envFile.entries) collected.readVariable(name, value, `${envFile.path}:${line}`);
  }
  return { files, ...collected.result() };
}

class Collected {
  readonly notes: string[] = [];
  readonly #settings = new Map<string, TakenSetting>();
  readonly #secrets = new Map<string, { readonly value: string; readonly from: string }>();
  readonly #refused: string[] = [];
  readonly #other: string[] = [];
  readonly #patterns: Record<'allow' | 'deny', readonly string[]> = { allow: [], deny: [] };

  readConfig(path: string, text: string): void {
    const document = parseDocument(text, { version: '1.1', uniqueKeys: false, prettyErrors: true });
    const [error] = document.errors;
    if (error !== undefined)
      throw configError(`${path}: ${error.message.split('\n')[0] ?? ''}`, 'Correct the YAML, then import it again.', error);
    const root: unknown = document.toJS();
    if (root === null || root === undefined) return;
    if (!isSection(root)) throw configError(`${path}:1: must be a section with keys of its own`);
    for (const [name, value] of Object.entries(root)) {
      if (sections.has(name) && isSection(value)) {
        for (const [key, item] of Object.entries(value)) this.#readKey(`${name}.${key}`, item, path);
      } else if (keyEntry(name) !== undefined) this.#readKey(name, value, path);
      else if (value !== null && !name.startsWith('_')) this.#other.push(name);
    }
  }

  #readKey(key: string, value: unknown, from: string): void {
    if (value === null || value === undefined) return;
    if (key === 'approvals.deny' || key === 'command_allowlist') {
      // A text instead of a list is one entry; taken apart into characters it would allow everything.
      const entries = typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
      this.#patterns[key === 'approvals.deny' ? 'deny' : 'allow'] = entries.filter((entry) => entry.trim() !== '');
      return;
    }
    if (key === 'terminal.env_type') {
      // The older name of terminal.backend, which is stronger.
      if (!this.#settings.has('sandbox')) this.#readKey('terminal.backend', value, from);
      return;
    }
    const entry = keyEntry(key);
    if (entry === undefined) {
      if (key.startsWith('terminal.')) this.#refused.push(`${from}: ${key}: unknown key`);
      return;
    }
    if (key === 'approvals.mode') {
      const { mode, note } = lenientMode(value);
      if (note !== undefined) this.notes.push(`${from}: ${key}: ${note}`);
      this.#take(entry, mode, from);
      return;
    }
    if (entry.effect.kind === 'none') {
      if (!isDeepStrictEqual(value, entry.neutral)) this.#refused.push(`${from}: ${key} has no effect: ${entry.effect.why}`);
      return;
    }
    const checked = checkYamlValue(entry, value, undefined);
    if ('problem' in checked) this.#refused.push(`${from}: ${key}: ${checked.problem}`);
    else this.#take(entry, checked.value, from);
  }

  readVariable(name: string, text: string, from: string): void {
    const entry = vocabulary.find(({ variable }) => variable === name);
    if (entry === undefined && Object.values(knownBackends).some(({ secrets }) => secrets.includes(name))) {
      if (text !== '') this.#secrets.set(name, { value: text, from });
      return;
    }
    const why = foreignVariables[name];
    if (why !== undefined) this.#refused.push(`${from}: ${name} ${why}`);
    if (entry === undefined || text === '') return;
    if (entry.effect.kind === 'none') {
      if (text !== String(entry.neutral)) this.#refused.push(`${from}: ${name} has no effect: ${entry.effect.why}`);
      return;
    }
    const checked = fromVariable(entry, text);
    if ('problem' in checked) this.#refused.push(`${from}: ${name}: ${checked.problem}`);
    else {
      if (checked.notice !== undefined) this.notes.push(`${from}: ${name} ${checked.notice}`);
      // What stands in the file as a key is stronger.
      if (!this.#settings.has(canonical(entry.key))) this.#take(entry, checked.value, from);
    }
  }

  #take(entry: ConfigKey, value: unknown, from: string): void {
    const key = canonical(entry.key);
    this.#settings.set(key, { key, value: key === 'sandbox' ? backendNameOf(String(value)) : value, from });
  }

  result(): Omit<HermesHome, 'files'> {
    return {
      settings: [...this.#settings.values()],
      secrets: this.#secrets,
      ...this.#patterns,
      refused: this.#refused,
      notes: this.notes,
      otherSections: this.#other,
    };
  }
}

const sections: ReadonlySet<string> = new Set(['terminal', 'approvals', 'security', 'tool_output']);

function canonical(key: string): string {
  return key === 'terminal.backend' ? 'sandbox' : key;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
