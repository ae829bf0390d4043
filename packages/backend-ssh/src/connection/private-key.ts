import { readFile, stat } from 'node:fs/promises';
import { type AskSecret, PetasosError } from '@petasos/core/backend';
import type { ParsedKey } from 'ssh2';

/** A private key file as it can be offered: its public half is known, the private one perhaps only after a passphrase. */
export interface FileKey {
  readonly file: string;
  readonly publicKey: ParsedKey;
  /** Asks for the passphrase where there is one, once in the life of this process. @throws `credentials` */
  unlock(): Promise<ParsedKey>;
}

/** Keys that a passphrase has opened, by file and time of change: nobody is asked twice. */
const unlocked = new Map<string, Promise<ParsedKey>>();
const attempts = 3;

/** @throws `credentials` for a file that holds no usable key, or cannot be read. Undefined: there is no such file. */
export async function readKeyFile(file: string, askSecret: AskSecret | undefined): Promise<FileKey | undefined> {
  const [text, info] = await Promise.all([readFile(file), stat(file)]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [undefined, undefined] as const;
    throw keyError(file, 'cannot be read', 'Make it readable for yourself, or name another one.', error);
  });
  if (text === undefined || info === undefined) return undefined;
  const parsed = await parseKey(text);
  if (!(parsed instanceof Error)) {
    if (!parsed.isPrivateKey()) throw keyError(file, 'holds a public key', 'Name the private one; it stands beside it, without .pub.');
    return { file, publicKey: parsed, unlock: async () => parsed };
  }
  const id = `${file}\0${info.mtimeMs}`;
  const opened = await unlocked.get(id)?.catch(() => undefined);
  const publicKey = opened ?? (await publicHalf(file, text));
  const unlock = () => {
    const known = unlocked.get(id);
    if (known !== undefined) return known;
    const opening = askFor(file, text, askSecret);
    unlocked.set(id, opening);
    opening.catch(() => unlocked.delete(id));
    return opening;
  };
  // An old format hides the public half as well.
  return { file, publicKey: publicKey ?? (await unlock()), unlock };
}

/** An error where the text is no key, or none without its passphrase. */
async function parseKey(text: Buffer | string, passphrase?: string): Promise<ParsedKey | Error> {
  const { default: ssh2 } = await import('ssh2');
  const parsed: ParsedKey | Error | readonly ParsedKey[] = ssh2.utils.parseKey(text, passphrase);
  return Array.isArray(parsed) ? (parsed[0] as ParsedKey) : (parsed as ParsedKey | Error);
}

async function askFor(file: string, text: Buffer, askSecret: AskSecret | undefined): Promise<ParsedKey> {
  if (askSecret === undefined) {
    throw keyError(
      file,
      'is encrypted, and nobody can be asked for its passphrase',
      'Add it to an agent (ssh-add), or run Petasos where it can ask.',
    );
  }
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const again = attempt === 1 ? '' : 'That was not it. ';
    const passphrase = await askSecret(`${again}Passphrase for the key ${file}: `);
    if (passphrase === undefined) throw keyError(file, 'is encrypted, and its passphrase was not given', 'Add it to an agent (ssh-add).');
    const parsed = await parseKey(text, passphrase);
    if (!(parsed instanceof Error)) return parsed;
  }
  throw keyError(file, `was not opened by ${attempts} passphrases`, 'Check the passphrase with ssh-keygen -y.');
}

async function publicHalf(file: string, text: Buffer): Promise<ParsedKey | undefined> {
  const blob = publicBlob(text.toString('latin1'));
  const written = blob ?? (await readFile(`${file}.pub`).catch(() => undefined));
  if (written !== undefined) {
    const parsed = await parseKey(written);
    if (!(parsed instanceof Error)) return parsed;
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text.toString('latin1'))) return undefined;
  throw keyError(file, 'holds no private key that is understood', 'Name a file that ssh-keygen has made.');
}

const magic = 'openssh-key-v1\0';

/** The public key that OpenSSH's own format shows although the private one is encrypted, as a line of an authorized_keys file. */
function publicBlob(text: string): string | undefined {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(text)?.[1];
  if (body === undefined) return undefined;
  const bytes = Buffer.from(body, 'base64');
  if (bytes.toString('latin1', 0, magic.length) !== magic) return undefined;
  let at = magic.length;
  const field = () => {
    const length = bytes.readUInt32BE(at);
    const value = bytes.subarray(at + 4, at + 4 + length);
    at += 4 + length;
    return value;
  };
  // Cipher, derivation and its parameters; then the number of keys.
  for (let skipped = 0; skipped < 3; skipped += 1) field();
  at += 4;
  const key = field();
  const type = key.toString('latin1', 4, 4 + key.readUInt32BE(0));
  return `${type} ${key.toString('base64')}`;
}

/** For a key that somebody has named. */
export function missingKey(file: string): PetasosError {
  return keyError(file, 'does not exist', 'Name another one with the option key (TERMINAL_SSH_KEY), or make it with ssh-keygen.');
}

function keyError(file: string, what: string, remedy: string, cause?: unknown): PetasosError {
  return new PetasosError('credentials', `the key ${file} ${what}`, { backend: 'ssh', operation: 'open', data: { file }, remedy, cause });
}
