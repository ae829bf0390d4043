import { PetasosError } from '../contract/index.js';

/** The typed error for a directory that a command cannot start in. `reason` is the word that the script reports. */
export function cwdError(backend: string, cwd: string, reason: string): PetasosError {
  const details = { backend, operation: 'exec', data: { cwd }, remedy: 'Create the directory or choose another cwd; nothing was run.' };
  if (reason === 'denied') return new PetasosError('cwd-not-accessible', `the directory ${cwd} cannot be entered in ${backend}`, details);
  if (reason === 'file') return new PetasosError('cwd-not-found', `${cwd} is not a directory in ${backend}`, details);
  return new PetasosError('cwd-not-found', `the directory ${cwd} does not exist in ${backend}`, details);
}
