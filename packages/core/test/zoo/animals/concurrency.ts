import { type Animal, breakSandbox } from '../animal.js';

export const concurrencyAnimals: readonly Animal[] = [
  {
    name: 'mixes concurrent outputs',
    caughtBy: 'E12.fifty',
    breakIt: breakSandbox((sandbox) => {
      let running = 0;
      let shared = '';
      return {
        exec: async (command, options = {}) => {
          if (running++ === 0) shared = '';
          const onStdout = (chunk: Uint8Array) => {
            shared += Buffer.from(chunk).toString();
          };
          const result = await sandbox.exec(command, { ...options, onStdout });
          return --running === 0 && shared === result.stdout ? result : { ...result, stdout: shared };
        },
      };
    }),
  },
  {
    name: 'serialises concurrent commands',
    caughtBy: 'E12.at-the-same-time',
    breakIt: breakSandbox((sandbox) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        exec: (command, options) => {
          const mine = last.then(() => sandbox.exec(command, options));
          last = mine.catch(() => {});
          return mine;
        },
      };
    }),
  },
];
