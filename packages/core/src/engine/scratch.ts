import { PetasosError } from '../contract/index.js';
import type { Operator } from './operator.js';

/** A private directory below the temporary one: another user of a shared machine must not have made it. */
const choose = `d=\${TMPDIR:-/tmp}/petasos-$(id -u)
umask 077
mkdir -p -- "$d/$1" 2>/dev/null
[ -O "$d" ] && [ -O "$d/$1" ] || exit 3
printf %s "$d/$1"`;

/** Where the engine keeps its own files in a place whose driver names no directory. */
export async function findScratch(operator: Operator, sandboxId: string, backend: string): Promise<string> {
  const { exitCode, stdout } = await operator.operate(choose, [sandboxId]);
  if (exitCode === 0) return stdout.toString('utf8');
  throw new PetasosError('place-failed', `${backend} has no temporary directory that is ours alone`, {
    backend,
    operation: 'open',
    remedy: 'Make the temporary directory writable, set TMPDIR there, or remove a petasos- directory in it that belongs to another user.',
  });
}
