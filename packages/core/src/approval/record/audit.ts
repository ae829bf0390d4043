import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { PetasosError } from '../../contract/errors.js';
import { isFileError } from '../memory/private-files.js';
import { auditFile, rotatedFile } from './audit-files.js';
import { type AuditFilter, type AuditItem, readAudit } from './audit-reader.js';
import type { DecisionRecord, EndRecord } from './audit-record.js';

/** The record of what ran and what was refused. */
export interface Audit {
  /** Throws when it cannot be written: nothing runs off the record. */
  write(record: DecisionRecord | EndRecord): void;
  read(filter?: AuditFilter): AsyncIterable<AuditItem>;
}

export interface AuditOptions {
  readonly directory: string;
  /** Size at which the file is put aside; default 10 MiB. */
  readonly maxBytes?: number | undefined;
  /** How many files are kept besides the current one; default 10. */
  readonly keep?: number | undefined;
  readonly clock?: (() => number) | undefined;
}

const lockFile = 'audit.rotating';
/** Putting a file aside takes microseconds: an older lock was left by a process that died. */
const staleLockMs = 30_000;
const newline = 0x0a;

/**
 * Appends each record with one write to a file opened for appending, which the kernel does not interleave with the
 * writes of other processes. It is synchronous so that records stand in the order of what happened; it takes microseconds.
 */
export function createAudit(options: AuditOptions): Audit {
  const { directory, maxBytes = 10 * 1024 * 1024, keep = 10, clock = Date.now } = options;
  const file = path.join(directory, auditFile);

  function append(line: Buffer): void {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
    try {
      const { size } = fstatSync(descriptor);
      // A write that a full disk cut short must not spoil the next record too.
      const whole = size === 0 || endsLine(descriptor, size) ? line : Buffer.concat([Buffer.from('\n'), line]);
      const written = writeSync(descriptor, whole);
      if (written < whole.length) throw new Error(`only ${written} of ${whole.length} bytes could be written`);
    } finally {
      closeSync(descriptor);
    }
  }

  function rotate(length: number): void {
    const size = sizeOf(file);
    if (size === 0 || size + length <= maxBytes) return;
    const lock = path.join(directory, lockFile);
    try {
      closeSync(openSync(lock, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600));
    } catch (error) {
      if (!isFileError(error, 'EEXIST')) throw error;
      if (ageOf(lock, clock()) > staleLockMs) rmSync(lock, { force: true });
      return;
    }
    try {
      // Another process may have put it aside between the look at the size and the lock.
      if (sizeOf(file) + length <= maxBytes) return;
      // The name is one of its own, so that nothing is ever overwritten, whatever the lock is worth.
      renameSync(file, freeName(directory, clock()));
      const old = readdirSync(directory)
        .filter((name) => rotatedFile.test(name))
        .sort();
      for (const name of old.slice(0, Math.max(0, old.length - keep))) rmSync(path.join(directory, name), { force: true });
    } finally {
      rmSync(lock, { force: true });
    }
  }

  return {
    write(record) {
      const line = Buffer.from(`${JSON.stringify(record)}\n`);
      try {
        mkdirSync(directory, { recursive: true, mode: 0o700 });
        rotate(line.length);
        append(line);
      } catch (cause) {
        throw new PetasosError(
          isFileError(cause, 'ENOSPC', 'EDQUOT') ? 'no-space' : 'not-approved',
          `the audit record ${file} cannot be written`,
          {
            operation: 'audit',
            remedy: 'Make the file writable or free space; nothing runs off the record.',
            data: { path: file },
            cause,
          },
        );
      }
    },
    read: (filter) => readAudit(directory, filter),
  };
}

function endsLine(descriptor: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] === newline;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function ageOf(file: string, now: number): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined ? 0 : now - stats.mtimeMs;
}

/** Names sort by time, also when the clock stands still or goes back. */
function freeName(directory: string, now: number): string {
  const times = readdirSync(directory).map((name) => Number(rotatedFile.exec(name)?.[1] ?? -1));
  const time = Math.max(now, ...times.map((other) => other + 1));
  return path.join(directory, `audit-${String(time).padStart(15, '0')}-${process.pid}.jsonl`);
}
