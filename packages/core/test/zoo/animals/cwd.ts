import { isPetasosError } from '../../../src/contract/index.js';
import { type Animal, breakExec, quote } from '../animal.js';

export const cwdAnimals: readonly Animal[] = [
  {
    name: 'ignores cwd',
    caughtBy: 'E7.absolute',
    breakIt: breakExec((sandbox, command, { cwd: _, ...options }) => sandbox.exec(command, options)),
  },
  {
    name: 'falls back to another cwd silently',
    caughtBy: 'E7.missing',
    breakIt: breakExec(async (sandbox, command, options) => {
      try {
        return await sandbox.exec(command, options);
      } catch (error) {
        if (!isPetasosError(error, 'cwd-not-found')) throw error;
        return sandbox.exec(command, { ...options, cwd: '/' });
      }
    }),
  },
  {
    name: 'treats a relative cwd as an argument of cd',
    caughtBy: 'E7.odd-relative',
    breakIt: breakExec((sandbox, command, { cwd, ...options }) =>
      cwd === undefined || cwd.startsWith('/')
        ? sandbox.exec(command, { ...options, cwd })
        : sandbox.exec(`cd ${quote(cwd)} || exit\n${command}`, options),
    ),
  },
  {
    name: 'evaluates the text of a cwd',
    caughtBy: 'E7.any-name',
    breakIt: breakExec((sandbox, command, { cwd, ...options }) =>
      sandbox.exec(cwd?.startsWith('/') ? `cd "${cwd}" || exit\n${command}` : command, options),
    ),
  },
  {
    name: 'reports a missing cwd as a failed command',
    caughtBy: 'E7.missing',
    breakIt: breakExec((sandbox, command, { cwd, ...options }) =>
      sandbox.exec(cwd === undefined ? command : `cd -- ${quote(cwd)} || exit 1\n${command}`, options),
    ),
  },
];
