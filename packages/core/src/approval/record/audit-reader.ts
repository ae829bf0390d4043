import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { isFileError } from '../memory/private-files.js';
import { auditFile, rotatedFile } from './audit-files.js';
import { type DecisionRecord, type EndRecord, parseRecord } from './audit-record.js';

export interface AuditFilter {
  /** Only decisions from then on. */
  readonly since?: Date | undefined;
  /** Only what was refused. */
  readonly denied?: boolean | undefined;
}

/** One command with its end, when it has one; or a line that cannot be read. */
export type AuditItem =
  | { readonly kind: 'command'; readonly decision: DecisionRecord; readonly end: EndRecord | undefined }
  | { readonly kind: 'problem'; readonly file: string; readonly line: number; readonly message: string };

/** Commands that are still running hold back those after them, up to this many. */
const mostWaiting = 10_000;
const longestLine = 4 * 1024 * 1024;

/** Reads the record from the oldest command to the newest. A damaged line is reported with its number; the rest is read. */
export async function* readAudit(directory: string, filter: AuditFilter = {}): AsyncIterable<AuditItem> {
  const since = filter.since?.getTime() ?? Number.NEGATIVE_INFINITY;
  const wanted = (decision: DecisionRecord) =>
    Date.parse(decision.time) >= since && (filter.denied !== true || decision.outcome === 'denied');
  const waiting = new Map<string, { decision: DecisionRecord; end: EndRecord | undefined }>();

  for (const file of await filesSince(directory, since)) {
    for await (const { line, text, whole } of linesOf(path.join(directory, file))) {
      if (text === '') continue;
      const record = parseRecord(text);
      if (typeof record === 'string') {
        const message = whole ? record : `is cut off: the process that wrote it was stopped, or the disk was full`;
        yield { kind: 'problem', file: path.join(directory, file), line, message };
      } else if (record.kind === 'end') {
        const command = waiting.get(record.id);
        if (command !== undefined) command.end = record;
      } else if (wanted(record)) {
        waiting.set(record.id, { decision: record, end: undefined });
      }
      for (const [id, command] of waiting) {
        const settled = command.end !== undefined || command.decision.outcome !== 'allowed';
        if (!settled && waiting.size <= mostWaiting) break;
        waiting.delete(id);
        yield { kind: 'command', ...command };
      }
    }
  }
  for (const command of waiting.values()) yield { kind: 'command', ...command };
}

/** A file that was put aside before `since` holds nothing newer. */
async function filesSince(directory: string, since: number): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    if (isFileError(error, 'ENOENT')) return [];
    throw error;
  }
  const rotated = names.filter((name) => Number(rotatedFile.exec(name)?.[1] ?? Number.NaN) >= since).sort();
  return names.includes(auditFile) ? [...rotated, auditFile] : rotated;
}

interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** False for a last line without its newline. */
  readonly whole: boolean;
}

async function* linesOf(file: string): AsyncIterable<Line> {
  let line = 0;
  let rest = '';
  const stream = createReadStream(file, { encoding: 'utf8' });
  try {
    for await (const chunk of stream) {
      const pieces = (rest + String(chunk)).split('\n');
      rest = (pieces.pop() ?? '').slice(0, longestLine);
      for (const text of pieces) yield { line: ++line, text, whole: true };
    }
  } catch (error) {
    // Put aside or removed by another process between the listing and now.
    if (!isFileError(error, 'ENOENT')) throw error;
  }
  if (rest !== '') yield { line: line + 1, text: rest, whole: false };
}
