import { PetasosError, type Progress } from '@petasos/core/backend';
import { addKnownHost, findKnownHosts, fingerprint, type KnownHost, keyType } from './known-hosts.js';
import type { SshTarget } from './target.js';

/** Two connections to one unknown host must not both add its key. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Accepts or refuses a server's key. A new one is remembered under `accept-new`; a changed or revoked one is never accepted.
 * @throws `host-key` with both fingerprints and the place of the line that says otherwise.
 */
export function verifyHostKey(target: SshTarget, key: Buffer, onProgress?: (event: Progress) => void): Promise<void> {
  const verified = turn.then(() => verify(target, key, onProgress));
  turn = verified.catch(() => {});
  return verified;
}

async function verify(target: SshTarget, key: Buffer, onProgress?: (event: Progress) => void): Promise<void> {
  const known = await findKnownHosts(target.knownHosts, target.hostKeyName);
  const same = known.filter((one) => one.key.equals(key));
  const revoked = same.find((one) => one.revoked);
  if (revoked !== undefined) throw refuse(target, key, 'revoked', `is marked as revoked in ${placeOf(revoked)}`, revoked);
  if (same.length > 0) return;
  const type = keyType(key);
  const other = known.find((one) => one.type === type && !one.revoked) ?? known.find((one) => !one.revoked);
  if (other !== undefined) {
    throw refuse(target, key, 'changed', `is not the known one, ${other.type} ${fingerprint(other.key)} in ${placeOf(other)}`, other);
  }
  if (target.hostKeys === 'strict') throw refuse(target, key, 'unknown', 'is not known, and only known hosts are accepted');
  if (target.hostKeys === 'off') return;
  const [file] = target.knownHosts;
  if (file === undefined) throw refuse(target, key, 'unknown', 'is not known, and there is no file to remember it in');
  await addKnownHost(file, target.hostKeyName, key, target.hashKnownHosts);
  onProgress?.({ step: 'remembering the host key', detail: `${target.hostKeyName} ${type} ${fingerprint(key)} in ${file}` });
}

/** What a server may sign with, the best first; the old signature with SHA-1 is the last resort. */
const signatures = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
  'ssh-rsa',
] as const;

/**
 * What to ask the server to sign with: first by keys of a type that is known, so that another one of its keys is not taken for a
 * change.
 */
export async function hostKeySignatures(target: SshTarget): Promise<(typeof signatures)[number][]> {
  const known = await findKnownHosts(target.knownHosts, target.hostKeyName);
  const types = new Set(known.filter((one) => !one.revoked).map((one) => one.type));
  const isKnown = (name: string) => types.has(name.startsWith('rsa-') ? 'ssh-rsa' : name);
  return [...signatures.filter(isKnown), ...signatures.filter((name) => !isKnown(name))];
}

function placeOf(known: KnownHost): string {
  return `${known.file}:${known.line}`;
}

const remedies = {
  changed:
    'Find out why before anything else: somebody may stand between. If the machine was set up anew, remove that line and connect again.',
  revoked: 'Do not connect to this machine until its owner has given it another key.',
  unknown: 'Compare the fingerprint with what the owner of the machine says, then connect once with ssh to remember it.',
} as const;

function refuse(target: SshTarget, key: Buffer, reason: keyof typeof remedies, what: string, known?: KnownHost): PetasosError {
  return new PetasosError('host-key', `the host key of ${target.hostKeyName}, ${keyType(key)} ${fingerprint(key)}, ${what}`, {
    backend: 'ssh',
    operation: 'open',
    remedy: remedies[reason],
    data: {
      reason,
      host: target.hostKeyName,
      fingerprint: fingerprint(key),
      ...(known && { knownFingerprint: fingerprint(known.key), file: known.file, line: known.line }),
    },
  });
}
