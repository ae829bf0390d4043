import { UsageError } from '../ui/errors.js';

const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * `K=V` sets a variable; `K` alone takes its value from the environment of Petasos, so that a secret need not stand in
 * an argument list. The last one of a name wins.
 */
export function parseEnvFlags(flags: readonly string[], env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const result: Record<string, string> = {};
  for (const flag of flags) {
    const equals = flag.indexOf('=');
    const name = equals === -1 ? flag : flag.slice(0, equals);
    if (!variableName.test(name)) {
      throw new UsageError(
        `--env: ${JSON.stringify(name)} is not a variable name`,
        'Write --env NAME=value, or --env NAME to pass on your own.',
      );
    }
    const value = equals === -1 ? env[name] : flag.slice(equals + 1);
    if (value === undefined) throw new UsageError(`--env ${name}: the variable is not set here`, `Set it, or write --env ${name}=value.`);
    result[name] = value;
  }
  return result;
}
