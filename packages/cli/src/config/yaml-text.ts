import { readFile } from 'node:fs/promises';
import { type Document, LineCounter, parseDocument, type YAMLError } from 'yaml';
import type { CliError } from '../ui/errors.js';
import { configError } from './config-error.js';

/** A configuration file as text and as a tree that remembers comments and positions. */
export interface YamlFile {
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  /** 1-based line of an offset into the text. */
  lineAt(offset: number): number;
}

/**
 * @returns undefined when there is no such file
 * @throws CliError when it cannot be read as text
 */
export async function readText(path: string): Promise<string | undefined> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EISDIR') throw configError(`${path}: is a directory`, 'Move it away: the configuration is a file.', error);
    if (code === 'EACCES') throw configError(`${path}: cannot be read`, `Make it yours: chmod u+r '${path}'`, error);
    throw configError(`${path}: cannot be read: ${error instanceof Error ? error.message : String(error)}`, undefined, error);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw configError(`${path}: is not UTF-8 text`, 'Save it as UTF-8.', error);
  }
}

/**
 * YAML 1.1 rules, so that bare `yes`, `no`, `on` and `off` are booleans as existing files expect. A key that stands twice
 * is an error: which of the two holds must never be a guess.
 */
export function parseYaml(path: string, text: string): YamlFile {
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { version: '1.1', prettyErrors: false, lineCounter });
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  const error = document.errors[0];
  if (error !== undefined) throw syntaxError(path, text, error, lineAt(error.pos[0]));
  return { path, text, document, lineAt };
}

const syntaxMessages: Partial<Record<YAMLError['code'], readonly [string, string]>> = {
  TAB_AS_INDENT: ['a tab is used as indentation', 'Use spaces.'],
  DUPLICATE_KEY: ['the key stands twice', 'Keep one of them.'],
  BLOCK_AS_IMPLICIT_KEY: ['a value is followed by another key on the same line', 'Put the value in quotes, or start a new line.'],
  MISSING_CHAR: ['a quote, bracket or colon is missing', 'Complete it.'],
  BAD_ALIAS: ['a word that starts with * is a reference in YAML', 'Put the value in quotes.'],
};

function syntaxError(path: string, text: string, error: YAMLError, line: number): CliError {
  const key = keyNear(text, line);
  const [message, remedy] = syntaxMessages[error.code] ?? [error.message, 'Correct the YAML.'];
  return configError(`${path}:${line}: ${key === undefined ? '' : `${key}: `}${message}`, remedy, error);
}

/** The key on this line, or on the nearest one above that has any: where a person should look. */
function keyNear(text: string, line: number): string | undefined {
  const lines = text.split(/\r?\n/).slice(0, line).reverse();
  for (const candidate of lines) {
    const match = /^\s*(?:- +)?["']?([A-Za-z_][\w.-]*)["']?\s*:/.exec(candidate);
    if (match) return match[1];
  }
  return undefined;
}
