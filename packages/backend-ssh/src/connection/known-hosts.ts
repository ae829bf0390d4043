import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fits } from './file-pattern.js';

/** A line of a known_hosts file that is about the host in question. */
export interface KnownHost {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly revoked: boolean;
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  readonly key: Buffer;
}

/** `SHA256:…`, as ssh prints it. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** Every key that the files hold for a name: a host, or `[host]:port`. Certificates' authorities are left out. */
export async function findKnownHosts(files: readonly string[], name: string): Promise<readonly KnownHost[]> {
  const found = await Promise.all(files.map((file) => findIn(file, name)));
  return found.flat();
}

async function findIn(file: string, name: string): Promise<KnownHost[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
    throw error;
  });
  return text.split('\n').flatMap((line, index) => {
    const fields = line.trim().split(/\s+/);
    const marker = fields[0]?.startsWith('@') ? fields.shift() : undefined;
    const [names, type, key] = fields;
    if (names === undefined || names.startsWith('#') || type === undefined || key === undefined) return [];
    if (marker === '@cert-authority' || !isNamed(names, name)) return [];
    return [{ file, line: index + 1, revoked: marker === '@revoked', type, key: Buffer.from(key, 'base64') }];
  });
}

/** `names` is a list of patterns, some of them negated, or one hash. */
function isNamed(names: string, name: string): boolean {
  if (names.startsWith('|1|')) return isHashOf(names, name);
  const lower = name.toLowerCase();
  let named = false;
  for (const pattern of names.toLowerCase().split(',')) {
    if (pattern.startsWith('!') && fits(pattern.slice(1), lower)) return false;
    if (fits(pattern, lower)) named = true;
  }
  return named;
}

function isHashOf(hashed: string, name: string): boolean {
  const [, , salt = '', hash = ''] = hashed.split('|');
  const wanted = Buffer.from(hash, 'base64');
  const given = hashName(Buffer.from(salt, 'base64'), name);
  return wanted.length === given.length && timingSafeEqual(wanted, given);
}

function hashName(salt: Buffer, name: string): Buffer {
  return createHmac('sha1', salt).update(name).digest();
}

/** Adds a key to the end of the file, which and whose folder are made for the user alone where there is none. */
export async function addKnownHost(file: string, name: string, key: Buffer, hashed: boolean): Promise<void> {
  const salt = randomBytes(20);
  const written = hashed ? `|1|${salt.toString('base64')}|${hashName(salt, name).toString('base64')}` : name;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const before = await readFile(file, 'utf8').catch(() => '');
  const separator = before === '' || before.endsWith('\n') ? '' : '\n';
  await appendFile(file, `${separator}${written} ${keyType(key)} ${key.toString('base64')}\n`, { mode: 0o600 });
}

/** The type that a public key names in its first field. */
export function keyType(key: Buffer): string {
  return key.toString('latin1', 4, 4 + key.readUInt32BE(0));
}
