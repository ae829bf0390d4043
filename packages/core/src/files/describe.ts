import { fileError, type Subject } from './errors.js';
import { absolutePath } from './paths.js';
import type { FilesPlace } from './place.js';
import { runScript } from './script.js';
import { scripts } from './scripts/index.js';
import type { FileInfo, FileKind } from './types.js';

export async function describeFile(place: FilesPlace, subject: Subject): Promise<FileInfo> {
  const path = await absolutePath(place, subject);
  const [info] = parse(await runScript(place, subject, { text: scripts.describe, args: ['stat', path] }), '');
  if (info === undefined) throw fileError('file-not-found', subject, 'went away while it was looked at', 'Try again.');
  return { ...info, name: path.slice(path.lastIndexOf('/') + 1), path };
}

export async function listDirectory(place: FilesPlace, subject: Subject): Promise<readonly FileInfo[]> {
  const path = await absolutePath(place, subject);
  const entries = parse(await runScript(place, subject, { text: scripts.describe, args: ['list', path] }), path);
  return entries.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** `hex-mode size seconds ./name`, or what `ls -ldn` says where there is no `stat`. No name holds a slash, so none can forge it. */
const fact = /(?:^|\n)(?:([0-9a-f]+) (\d+) (-?\d+)|([-a-z])([-a-zA-Z]{9})\S* (\d+) (\w{3}) (\d+) ([\d:]+)) \.\//g;

/** By the file type bits of a mode, the upper four of sixteen. */
const kinds: Readonly<Record<number, FileKind>> = { 8: 'file', 4: 'directory', 10: 'symlink' };
const letters: Readonly<Record<string, FileKind>> = { '-': 'file', d: 'directory', l: 'symlink' };

/** The sections that describe.sh prints. They are read as Latin-1, which keeps every byte, and names decoded at the end. */
function parse(output: Buffer, directory: string): FileInfo[] {
  const prefix = directory === '/' ? '/' : `${directory}/`;
  const found: FileInfo[] = [];
  const parts = output.toString('latin1').split('\0');
  for (let at = 0; at + 1 < parts.length; at += 1) {
    const facts = parts[at] ?? '';
    const targets = new Map<string, string>();
    for (at += 1; (parts[at] ?? '') !== ''; at += 2) targets.set((parts[at] ?? '').slice(2), (parts[at + 1] ?? '').replace(/\n$/, ''));
    const heads = [...facts.matchAll(fact)];
    for (const [index, head] of heads.entries()) {
      const raw = facts.slice(head.index + head[0].length, heads[index + 1]?.index ?? facts.length - 1);
      const name = utf8(raw);
      const target = targets.get(raw);
      found.push({ name, path: `${prefix}${name}`, ...properties(head), ...(target === undefined ? {} : { target: utf8(target) }) });
    }
  }
  return found;
}

function properties(head: RegExpMatchArray): Pick<FileInfo, 'kind' | 'size' | 'mode' | 'modifiedAt'> {
  const [, hex, size, seconds, letter = '', bits = '', listedSize, month = '', day = '', when = ''] = head;
  if (hex !== undefined) {
    const mode = Number.parseInt(hex, 16);
    const kind = kinds[mode >> 12] ?? 'other';
    return { kind, size: kind === 'other' ? 0 : Number(size), mode: mode & 0o7777, modifiedAt: new Date(Number(seconds) * 1000) };
  }
  return { kind: letters[letter] ?? 'other', size: Number(listedSize), mode: modeOf(bits), modifiedAt: listedTime(month, day, when) };
}

/** `rwsr-xr-t` as bits. */
function modeOf(bits: string): number {
  let mode = 0;
  for (const [index, bit] of [...bits].entries()) {
    if (bit !== '-' && bit !== 'S' && bit !== 'T') mode |= 1 << (8 - index);
    if (bit === 's' || bit === 'S') mode |= index === 2 ? 0o4000 : 0o2000;
    if (bit === 't' || bit === 'T') mode |= 0o1000;
  }
  return mode;
}

/** `ls` gives a time of day for the last half year and a year for everything else, here in UTC. */
function listedTime(month: string, day: string, when: string): Date {
  if (!when.includes(':')) return new Date(`${month} ${day} ${when} 00:00 UTC`);
  const now = new Date();
  const time = (year: number) => new Date(`${month} ${day} ${year} ${when} UTC`);
  const sameYear = time(now.getUTCFullYear());
  const oneDayMs = 86_400_000;
  return sameYear.getTime() > now.getTime() + oneDayMs ? time(now.getUTCFullYear() - 1) : sameYear;
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
