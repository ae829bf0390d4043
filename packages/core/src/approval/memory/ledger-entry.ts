import { PetasosError } from '../../contract/errors.js';
import { type ApprovalSubject, subjectId } from './subject.js';

export interface LedgerEntry {
  /** Names the entry for {@link Ledger.revoke}: the hash of its subject. */
  readonly id: string;
  readonly lifetime: 'session' | 'always';
  readonly subject: ApprovalSubject;
  /** Who answered. */
  readonly by: string;
  readonly at: Date;
}

const version = 1;

/** An entry as the one line of its file. */
export function formatEntry(entry: LedgerEntry): string {
  return `${JSON.stringify({ version, by: entry.by, at: entry.at.toISOString(), subject: entry.subject })}\n`;
}

/** Reads an entry's file. Whatever is wrong with it is an error that names file and line: an approval is never guessed. */
export function parseEntry(text: string, file: string, id: string): LedgerEntry {
  const refuse = (problem: string) =>
    new PetasosError('invalid-options', `${file}:1: ${problem}`, {
      operation: 'approvals',
      remedy: `Look at the file, then remove it with: rm '${file}'. What it allowed is asked again.`,
      data: { path: file, line: 1 },
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refuse(`this remembered approval is not valid JSON (${cause instanceof Error ? cause.message : String(cause)})`);
  }
  const fields = record(value);
  if (fields === undefined) throw refuse('this remembered approval is not an object');
  if (fields['version'] !== version) throw refuse(`version is ${JSON.stringify(fields['version'])}, expected ${version}`);
  const { by, at } = fields;
  if (typeof by !== 'string') throw refuse('"by" must be a text');
  const time = typeof at === 'string' ? new Date(at) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) throw refuse('"at" must be a time');
  const subject = parseSubject(fields['subject']);
  if (typeof subject === 'string') throw refuse(subject);
  if (subjectId(subject) !== id)
    throw refuse('the content does not belong to the name of the file: it was changed, or copied from another entry');
  return { id, lifetime: 'always', subject, by, at: time };
}

/** The subject, or what is wrong with it. */
function parseSubject(value: unknown): ApprovalSubject | string {
  const fields = record(value);
  if (fields === undefined) return '"subject" must be an object';
  const place = record(fields['place']);
  if (place === undefined) return '"subject.place" must be an object';
  const { backend, sandbox, machine, user } = place;
  if (typeof backend !== 'string' || typeof sandbox !== 'string' || typeof machine !== 'string' || typeof user !== 'string') {
    return '"subject.place" must have the texts backend, sandbox, machine and user';
  }
  const { argv, cwd, env, writes, via, wrappers, rules, scripts, text } = fields;
  if (typeof cwd !== 'string') return '"subject.cwd" must be a text';
  if (text !== null && typeof text !== 'string') return '"subject.text" must be a text or null';
  if (!texts(argv)) return '"subject.argv" must be a list of texts';
  if (!texts(writes)) return '"subject.writes" must be a list of texts';
  if (!texts(via)) return '"subject.via" must be a list of texts';
  if (!texts(rules)) return '"subject.rules" must be a list of texts';
  if (!texts(scripts)) return '"subject.scripts" must be a list of texts';
  if (!Array.isArray(wrappers) || !wrappers.every(texts)) return '"subject.wrappers" must be a list of lists of texts';
  if (!Array.isArray(env) || !env.every(pair)) return '"subject.env" must be a list of pairs of texts';
  return { place: { backend, sandbox, machine, user }, argv, cwd, env, writes, via, wrappers, rules, scripts, text };
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : undefined;
}

function texts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function pair(value: unknown): value is [string, string] {
  return texts(value) && value.length === 2;
}
