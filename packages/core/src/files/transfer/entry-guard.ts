import { PetasosError } from '../../contract/index.js';
import { quoted, type Subject } from '../errors.js';
import type { TarEntry } from './tar-reader.js';

/** What an entry may become. */
export type EntryKind = 'file' | 'directory' | 'symlink' | 'link';

/** An entry that was found harmless by itself. Bytes are held as Latin-1. */
export interface SafeEntry {
  readonly kind: EntryKind;
  /** Parts of the path; none for the tree's root. */
  readonly parts: readonly string[];
  readonly target: string;
  /** Parts of the path that a hard link names. */
  readonly targetParts: readonly string[];
  readonly size: number;
  /** Permission bits: nothing from the place may run here with more rights. */
  readonly mode: number;
  readonly modifiedAt: Date;
}

const longestPart = 255;
const longestPath = 4_096;
/** Seconds that a Date can hold. */
const longestTime = 8.64e12;
const kinds: ReadonlySet<string> = new Set<EntryKind>(['file', 'directory', 'symlink', 'link']);

/** The error for an archive that tries to do harm, or is too damaged to tell. */
export function hostile(subject: Subject, entry: string, reason: string): PetasosError {
  const shown = Buffer.from(entry, 'latin1').toString('utf8');
  return new PetasosError('hostile-archive', `archive of ${quoted(subject.path)}: entry ${quoted(shown)} ${reason}`, {
    backend: subject.backend,
    operation: subject.operation,
    remedy: 'Nothing was changed here. Look at the entry in the place; an ignore pattern leaves it out.',
    data: { path: subject.path, entry: shown },
  });
}

/** The parts of the entry's name. @throws PetasosError `hostile-archive` when it leads out of the tree or cannot be one. */
export function entryParts(subject: Subject, { name }: TarEntry): readonly string[] {
  return safeParts(subject, name, name, 'has a name that');
}

/** Judges one entry by itself. What it means together with earlier ones, such as a path through a link, is for the extractor. */
export function checkEntry(subject: Subject, entry: TarEntry, parts: readonly string[], outsideLinks: 'refuse' | 'keep'): SafeEntry {
  const { name, kind, size, target, modifiedAt } = entry;
  if (!isEntryKind(kind)) throw hostile(subject, name, `is a ${kind}, which is not copied`);
  if (parts.length === 0 && kind !== 'directory') throw hostile(subject, name, 'would take the place of the tree itself');
  if (!Number.isSafeInteger(size) || size < 0) throw hostile(subject, name, 'has an impossible size');
  if (!Number.isInteger(entry.mode)) throw hostile(subject, name, 'has an impossible mode');
  if (!(Math.abs(modifiedAt) <= longestTime)) throw hostile(subject, name, 'has an impossible time');
  if (kind === 'symlink') checkTarget(subject, name, target, parts.length - 1, outsideLinks);
  return {
    kind,
    parts,
    target,
    targetParts: kind === 'link' ? safeParts(subject, name, target, 'is a hard link to a name that') : [],
    size: kind === 'file' ? size : 0,
    mode: entry.mode & 0o777,
    modifiedAt: new Date(modifiedAt * 1000),
  };
}

function isEntryKind(kind: string): kind is EntryKind {
  return kinds.has(kind);
}

function safeParts(subject: Subject, entry: string, name: string, what: string): readonly string[] {
  const refuse = (reason: string) => hostile(subject, entry.slice(0, longestPart), `${what} ${reason}`);
  if (name === '' || name.includes('\0')) throw refuse('is empty or holds NUL');
  if (name.startsWith('/')) throw refuse('is absolute');
  if (name.length > longestPath) throw refuse(`is longer than ${longestPath} bytes`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  for (const part of parts) {
    if (part === '..') throw refuse('leads out of the tree');
    if (part.length > longestPart) throw refuse(`has a part longer than ${longestPart} bytes`);
  }
  return parts;
}

/**
 * A target is inside when it climbs no higher than the link is deep, and climbs only at its start: the directories above a
 * link are real ones, but a `..` after a name could start from wherever another link leads.
 */
function checkTarget(subject: Subject, name: string, target: string, depth: number, outsideLinks: 'refuse' | 'keep'): void {
  if (target === '' || target.includes('\0')) throw hostile(subject, name, 'is a symlink without a usable target');
  if (target.length > longestPath) throw hostile(subject, name, `is a symlink whose target is longer than ${longestPath} bytes`);
  if (outsideLinks === 'keep') return;
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const climbs = parts.findIndex((part) => part !== '..');
  const leading = climbs === -1 ? parts.length : climbs;
  if (target.startsWith('/') || leading > depth || parts.slice(leading).includes('..')) {
    throw hostile(subject, name, `is a symlink that leads out of the tree, to ${quoted(Buffer.from(target, 'latin1').toString('utf8'))}`);
  }
}
