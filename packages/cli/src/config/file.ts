import { isDeepStrictEqual } from 'node:util';
import { isAlias, isMap, isScalar, type Node, type Pair } from 'yaml';
import { configError } from './config-error.js';
import { expand } from './env-file.js';
import { unknownKey } from './unknown-key.js';
import { checkYamlValue } from './values.js';
import { keyEntry, vocabulary } from './vocabulary.js';
import { parseYaml, readText, type YamlFile } from './yaml-text.js';

export interface FileSetting {
  readonly key: string;
  readonly value: unknown;
  readonly line: number;
}

export interface ConfigFile {
  readonly path: string;
  readonly settings: readonly FileSetting[];
  /** What a person should know, though nothing is wrong enough to stop. */
  readonly notices: readonly string[];
}

const sections: ReadonlySet<string> = new Set(
  vocabulary.filter(({ key }) => key.includes('.')).map(({ key }) => key.slice(0, key.indexOf('.'))),
);

/**
 * Reads and checks a whole configuration file.
 * @returns undefined when there is none
 * @throws CliError that names file, line and key
 */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  const text = await readText(path);
  return text === undefined ? undefined : checkConfig(parseYaml(path, text));
}

export function checkConfig(file: YamlFile): ConfigFile {
  const settings: FileSetting[] = [];
  const notices: string[] = [];
  for (const { key, node, line } of children(file, file.document.contents, '')) {
    if (key === 'options') {
      for (const backend of children(file, node, 'options.')) {
        for (const option of children(file, backend.node, `${backend.key}.`)) {
          settings.push({ key: option.key, value: plain(file, option.node), line: option.line });
        }
      }
    } else if (sections.has(key)) {
      for (const child of children(file, node, `${key}.`)) checkKey(file, child, settings, notices);
    } else {
      checkKey(file, { key, node, line }, settings, notices);
    }
  }
  agreeOnSandbox(file, settings);
  return { path: file.path, settings, notices };
}

interface Child {
  readonly key: string;
  readonly node: Node | null;
  readonly line: number;
}

function children(file: YamlFile, node: Node | null, prefix: string): Child[] {
  const target = isAlias(node) ? (node.resolve(file.document) ?? null) : node;
  if (target === null || (isScalar(target) && target.value === null)) return [];
  const line = target.range ? file.lineAt(target.range[0]) : 1;
  if (!isMap(target))
    throw configError(`${file.path}:${line}: ${prefix === '' ? '' : `${prefix.slice(0, -1)}: `}must be a section with keys of its own`);
  return target.items.map((pair: Pair) => {
    const keyNode = pair.key;
    const keyLine = isScalar(keyNode) && keyNode.range ? file.lineAt(keyNode.range[0]) : line;
    if (!isScalar(keyNode)) throw configError(`${file.path}:${keyLine}: a key must be a plain word`);
    return { key: `${prefix}${String(keyNode.value)}`, node: (pair.value ?? null) as Node | null, line: keyLine };
  });
}

function checkKey(file: YamlFile, { key, node, line }: Child, settings: FileSetting[], notices: string[]): void {
  const entry = keyEntry(key);
  if (entry === undefined) throw unknownKey(key, `${file.path}:${line}: `);
  const value = plain(file, node);
  // An empty value stands for an absent key, as in the files that people bring along.
  if (value === null || value === undefined) return;
  const source = isScalar(node) && typeof node.source === 'string' ? node.source : undefined;
  const at = `${file.path}:${line}: ${key}`;
  const { effect } = entry;
  if (effect.kind === 'none' || effect.kind === 'refused') {
    if (isDeepStrictEqual(value, entry.neutral)) return;
    if (effect.kind === 'refused') throw configError(`${at}: ${effect.why}`, effect.remedy);
    notices.push(`${at} has no effect: ${effect.why}`);
    return;
  }
  const checked = checkYamlValue(entry, value, source);
  if ('problem' in checked) throw configError(`${at}: ${checked.problem}`);
  settings.push({ key, value: checked.value, line });
}

function plain(file: YamlFile, node: Node | null): unknown {
  return node === null ? null : node.toJS(file.document);
}

/** `sandbox` and `terminal.backend` are one setting; two answers to one question are a mistake. */
function agreeOnSandbox(file: YamlFile, settings: readonly FileSetting[]): void {
  const short = settings.find(({ key }) => key === 'sandbox');
  const long = settings.find(({ key }) => key === 'terminal.backend');
  if (short === undefined || long === undefined || short.value === long.value) return;
  throw configError(
    `${file.path}:${long.line}: terminal.backend: says ${String(long.value)}, but sandbox in line ${short.line} says ${String(short.value)}`,
    'Keep one of them.',
  );
}

/** `${NAME}` and `${env:NAME}` in every text of a value, from these variables. */
export function withReferences(value: unknown, env: Readonly<Record<string, string | undefined>>): unknown {
  if (typeof value === 'string') return expand(value, (name) => env[name]);
  if (Array.isArray(value)) return value.map((item) => withReferences(item, env));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withReferences(item, env)]));
}
