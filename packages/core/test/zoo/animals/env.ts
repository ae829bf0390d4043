import { type Animal, breakExec, breakOpen, breakSandbox, quote } from '../animal.js';

const exports = (env: Readonly<Record<string, string>> = {}) =>
  Object.entries(env)
    .map(([name, value]) => `export ${name}=${quote(value)}\n`)
    .join('');

export const envAnimals: readonly Animal[] = [
  {
    name: 'ignores env',
    caughtBy: 'E8.any-value',
    breakIt: breakExec((sandbox, command, { env: _, ...options }) => sandbox.exec(command, options)),
  },
  {
    name: 'evaluates the values of env',
    caughtBy: 'E8.any-value',
    breakIt: breakExec((sandbox, command, { env = {}, ...options }) => {
      const lines = Object.entries(env).map(([name, value]) => `export ${name}="${value.replaceAll('"', '\\"')}"\n`);
      return sandbox.exec(lines.join('') + command, options);
    }),
  },
  {
    name: 'leaks the environment of the host',
    caughtBy: 'E9.nothing-else',
    breakIt: breakSandbox((sandbox, { hostEnv = {} }) => ({
      exec: (command, options = {}) => {
        const host = Object.entries(hostEnv).filter((entry): entry is [string, string] => /^\w+$/.test(entry[0]) && entry[1] !== undefined);
        return sandbox.exec(command, { ...options, env: { ...Object.fromEntries(host), ...options.env } });
      },
    })),
  },
  {
    name: 'forwards nothing of the host',
    caughtBy: 'E9.allowlist',
    breakIt: breakOpen((options) => ({ ...options, hostEnv: { PATH: process.env.PATH, HOME: process.env.HOME } })),
  },
  {
    name: 'forwards a credential that is merely named',
    caughtBy: 'E9.credential-passthrough',
    breakIt: breakOpen(({ envPassthrough = [], ...options }) => ({
      ...options,
      envForce: [...envPassthrough, ...(options.envForce ?? [])],
    })),
  },
  {
    name: 'puts values of env into an argument list',
    caughtBy: 'E8.no-argument-list',
    breakIt: breakExec((sandbox, command, { env, ...options }) =>
      sandbox.exec(`sh -c ${quote(`${exports(env)}${command}`)}; exit $?`, options),
    ),
  },
  {
    name: 'tells values of env in its errors',
    caughtBy: 'E8.no-error',
    breakIt: breakExec(async (sandbox, command, options) => {
      try {
        return await sandbox.exec(command, options);
      } catch (error) {
        if (error instanceof Error) error.message += ` (env ${JSON.stringify(options.env)})`;
        throw error;
      }
    }),
  },
  {
    name: 'keeps env for the next command',
    caughtBy: 'E8.not-kept',
    breakIt: breakSandbox((sandbox) => {
      let kept: Readonly<Record<string, string>> = {};
      return {
        exec: (command, options = {}) => {
          kept = { ...kept, ...options.env };
          return sandbox.exec(command, { ...options, env: kept });
        },
      };
    }),
  },
];
