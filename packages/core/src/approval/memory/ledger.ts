import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { PetasosError } from '../../contract/errors.js';
import { formatEntry, type LedgerEntry, parseEntry } from './ledger-entry.js';
import { isFileError, makePrivateDirectory, writePrivateFile } from './private-files.js';
import { type ApprovalSubject, subjectId } from './subject.js';

/** Remembers approvals: for this session in memory, for always on disk. */
export interface Ledger {
  /** The answer that covers exactly this subject. Rejects when its file is damaged. */
  find(subject: ApprovalSubject): Promise<LedgerEntry | undefined>;
  remember(subject: ApprovalSubject, lifetime: 'session' | 'always', by: string): Promise<LedgerEntry>;
  /** Oldest first. Rejects when a file is damaged, naming it. */
  list(): Promise<readonly LedgerEntry[]>;
  /** By id or the beginning of one, at least 8 characters; false when there is none. Works on a damaged file too. */
  revoke(id: string): Promise<boolean>;
}

export interface LedgerOptions {
  /** Absent: `always` lasts as long as this object. */
  readonly directory?: string | undefined;
  readonly clock?: (() => number) | undefined;
}

const entryFile = /^([0-9a-f]{64})\.json$/;
const shortestId = 8;

/**
 * A ledger whose durable answers are files `DIRECTORY/<id>.json` (mode 0600). Each answer is a file of its own that
 * appears and vanishes as a whole, so that concurrent processes cannot lose or tear each other's answers.
 */
export function createLedger(options: LedgerOptions = {}): Ledger {
  const { directory, clock = Date.now } = options;
  const session = new Map<string, LedgerEntry>();

  async function read(id: string): Promise<LedgerEntry | undefined> {
    if (directory === undefined) return undefined;
    const file = path.join(directory, `${id}.json`);
    try {
      const { mode } = await stat(file);
      if ((mode & 0o022) !== 0) throw writableByOthers(file);
      return parseEntry(await readFile(file, 'utf8'), file, id);
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  async function ids(): Promise<string[]> {
    if (directory === undefined) return [];
    try {
      return (await readdir(directory)).flatMap((name) => entryFile.exec(name)?.[1] ?? []);
    } catch (error) {
      if (isFileError(error, 'ENOENT')) return [];
      throw error;
    }
  }

  return {
    async find(subject) {
      const id = subjectId(subject);
      return session.get(id) ?? (await read(id));
    },

    async remember(subject, lifetime, by) {
      const entry: LedgerEntry = { id: subjectId(subject), lifetime, subject, by, at: new Date(clock()) };
      if (lifetime === 'session' || directory === undefined) {
        session.set(entry.id, entry);
      } else {
        await makePrivateDirectory(directory);
        await writePrivateFile(path.join(directory, `${entry.id}.json`), formatEntry(entry));
      }
      return entry;
    },

    async list() {
      const stored: LedgerEntry[] = [];
      for (const id of await ids()) {
        const entry = await read(id);
        if (entry !== undefined) stored.push(entry);
      }
      return [...session.values(), ...stored].sort(
        (left, right) => left.at.getTime() - right.at.getTime() || (left.id < right.id ? -1 : 1),
      );
    },

    async revoke(id) {
      const matches = [...new Set([...session.keys(), ...(await ids())])].filter((known) => known.startsWith(id));
      if (id.length < shortestId || matches.length > 1) {
        throw new PetasosError('invalid-request', `${JSON.stringify(id)} does not name one approval`, {
          operation: 'approvals.revoke',
          remedy: `Give at least ${shortestId} characters of its id; petasos approvals ls shows them.`,
        });
      }
      const [match] = matches;
      if (match === undefined) return false;
      session.delete(match);
      if (directory !== undefined) await removeIfThere(path.join(directory, `${match}.json`));
      return true;
    },
  };
}

async function removeIfThere(file: string): Promise<void> {
  try {
    await unlink(file);
  } catch (error) {
    if (!isFileError(error, 'ENOENT')) throw error;
  }
}

function writableByOthers(file: string): PetasosError {
  return new PetasosError('invalid-options', `${file}: this remembered approval can be written by other users`, {
    operation: 'approvals',
    remedy: `Look at the file; if it is yours: chmod 600 '${file}'.`,
    data: { path: file },
  });
}
