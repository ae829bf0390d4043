import { readFile, stat } from 'node:fs/promises';
import { configError } from './config-error.js';

export interface EnvEntry {
  readonly name: string;
  readonly value: string;
  /** First line of the entry, 1-based. */
  readonly line: number;
}

export interface EnvFile {
  readonly path: string;
  /** One a name; of several, the last. */
  readonly entries: readonly EnvEntry[];
  readonly notices: readonly string[];
}

const assignment = /^[ \t]*(?:export[ \t]+)?([^\s=]+)[ \t]*=[ \t]*/;
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Reads a file of `NAME=value` lines, as several readers of such files agree on it: `export`, `#` at the start of a line or after a blank,
 * values in single quotes word for word, in double quotes with escapes, both over several lines, and `${NAME}` outside single quotes.
 * @returns undefined when there is none
 * @throws CliError that names file, line and variable, never a value
 */
export async function readEnvFile(path: string, env: Readonly<Record<string, string | undefined>>): Promise<EnvFile | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code === 'EISDIR') throw configError(`${path}: is a directory`, 'Move it away: secrets are kept in a file of this name.', error);
    if (code === 'EACCES') throw configError(`${path}: cannot be read`, `Make it yours: chmod u+r '${path}'`, error);
    throw configError(`${path}: cannot be read: ${error instanceof Error ? error.message : String(error)}`, undefined, error);
  }
  const file = parseEnvText(path, decode(bytes), env);
  const mode = (await stat(path)).mode & 0o077;
  if (mode === 0 || file.entries.length === 0) return file;
  return { ...file, notices: [...file.notices, `${path} can be read by others; make it yours alone: chmod 600 '${path}'`] };
}

/** UTF-8, with or without a mark; UTF-16 with a mark; else Latin-1. NUL characters are left out. */
function decode(bytes: Buffer): string {
  const text = () => {
    if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
    if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return bytes.toString('latin1');
    }
  };
  return text()
    .replaceAll('\0', '')
    .replace(/^\uFEFF/, '')
    .replace(/\r\n?/g, '\n');
}

export function parseEnvText(path: string, text: string, env: Readonly<Record<string, string | undefined>>): EnvFile {
  const found = new Map<string, EnvEntry>();
  const notices: string[] = [];
  const lookUp = (name: string) => found.get(name)?.value ?? env[name];
  for (let at = 0, line = 1; at < text.length; ) {
    const lineEnd = endOfLine(text, at);
    const content = text.slice(at, lineEnd);
    if (/^\s*(?:#|$)/.test(content)) {
      at = lineEnd + 1;
      line += 1;
      continue;
    }
    const match = assignment.exec(content);
    const name = match?.[1] ?? '';
    if (match === null) throw configError(`${path}:${line}: must be NAME=value`, 'Correct the line, or start it with #.');
    if (!variableName.test(name))
      throw configError(`${path}:${line}: ${name}: is not the name of a variable`, 'Use letters, digits and _.');
    const start = at + match[0].length;
    const { value, end } = readValue(text, start, `${path}:${line}: ${name}`, lookUp);
    const before = found.get(name);
    if (before !== undefined) notices.push(`${path}:${line}: ${name} stands in line ${before.line} too; this one holds`);
    found.set(name, { name, value, line });
    line += text.slice(at, end).split('\n').length;
    at = end + 1;
  }
  return { path, entries: [...found.values()], notices };
}

/** `end`: the line feed that ends the entry. */
function readValue(
  text: string,
  start: number,
  at: string,
  lookUp: (name: string) => string | undefined,
): { readonly value: string; readonly end: number } {
  const quote = text[start];
  if (quote !== '"' && quote !== "'") {
    const end = endOfLine(text, start);
    const plain = text
      .slice(start, end)
      .replace(/(?:^|[ \t]+)#.*$/, '')
      .trimEnd();
    return { value: expand(plain, lookUp), end };
  }
  const close = closingQuote(text, start, quote);
  if (close === undefined) throw configError(`${at}: its quote is never closed`, `Add ${quote} at the end of the value.`);
  const end = endOfLine(text, close + 1);
  const rest = text.slice(close + 1, end).trim();
  if (rest !== '' && !rest.startsWith('#')) {
    throw configError(`${at}: something follows the closing quote`, 'Put the whole value in quotes.');
  }
  const raw = text.slice(start + 1, close);
  return { value: quote === "'" ? raw : unescaped(raw, lookUp), end };
}

function closingQuote(text: string, start: number, quote: string): number | undefined {
  for (let at = start + 1; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return undefined;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' };

function unescaped(raw: string, lookUp: (name: string) => string | undefined): string {
  return raw.replace(/\\([\s\S])|\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, escaped: string | undefined, name: string | undefined) => {
    if (escaped !== undefined) return escapes[escaped] ?? whole;
    return lookUp(name ?? '') ?? whole;
  });
}

/** `${NAME}` and `${env:NAME}`; an unknown one stays as it is written. */
export function expand(text: string, lookUp: (name: string) => string | undefined): string {
  return text.replace(/\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, name: string) => lookUp(name) ?? whole);
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
