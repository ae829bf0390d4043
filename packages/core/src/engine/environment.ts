import { PetasosError } from '../contract/index.js';
import { quote, refuseNul } from './quote.js';

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Bash keeps these read-only: setting one would end the command before it starts. */
const readOnly = new Set(['BASHOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'SHELLOPTS', 'UID']);

/** @throws `invalid-request` naming the variable, never its value. */
export function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!variableName.test(name))
      throw new PetasosError('invalid-request', `${JSON.stringify(name)} is not a name for an environment variable`);
    if (readOnly.has(name)) throw new PetasosError('invalid-request', `the shell keeps the variable ${name} read-only`);
    if (typeof value !== 'string') throw new PetasosError('invalid-request', `the variable ${name} has a value that is not text`);
    refuseNul(value, `the variable ${name}`);
  }
}

/** Shell code that exports the variables. Values travel in the message, never in an argument list. */
export function exportCode(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => `export ${name}=${quote(value)};`)
    .join('');
}
