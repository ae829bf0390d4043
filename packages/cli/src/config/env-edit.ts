import { readFile } from 'node:fs/promises';
import { configError } from './config-error.js';
import { parseEnvText } from './env-file.js';
import { replaceFile } from './replace-file.js';

/**
 * Writes variables into a file of `NAME=value` lines and keeps every other line. The file is its owner's alone afterwards.
 * @param values undefined takes a variable out
 */
export async function editEnvFile(path: string, values: Readonly<Record<string, string | undefined>>): Promise<void> {
  const before = await readFile(path, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw configError(`${path}: cannot be read: ${error instanceof Error ? error.message : String(error)}`, undefined, error);
  });
  // A file that is broken is not touched: what stands in it would be lost.
  parseEnvText(path, before, {});
  let text = before.replace(/\r\n/g, '\n');
  for (const [name, value] of Object.entries(values)) text = withVariable(path, text, name, value);
  await replaceFile(path, text, 0o600);
}

function withVariable(path: string, text: string, name: string, value: string | undefined): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  const starts = parseEnvText(path, text, {}).entries.filter((entry) => entry.name === name);
  const written = value === undefined ? [] : [`${name}=${quoted(value)}`];
  const [entry] = starts;
  if (entry === undefined) lines.push(...written);
  else lines.splice(entry.line - 1, entryLength(path, lines, entry.line), ...written);
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** An entry ends where the lines up to there can be read by themselves. */
function entryLength(path: string, lines: readonly string[], first: number): number {
  for (let length = 1; first - 1 + length < lines.length; length += 1) {
    try {
      parseEnvText(path, lines.slice(first - 1, first - 1 + length).join('\n'), {});
      return length;
    } catch {
      // Its quote is still open.
    }
  }
  return lines.length - first + 1;
}

/** Bare where every reader agrees on it; else in double quotes, with the escapes that they agree on. */
function quoted(value: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]*$/.test(value)) return value;
  const escaped = value
    .replace(/[\\"$]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r');
  return `"${escaped}"`;
}
