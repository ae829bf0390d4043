import { spawnSync } from 'node:child_process';
import { cp, rm, symlink } from 'node:fs/promises';
import { type Animal, breakExec, breakSandbox } from '../animal.js';
import { type Powers, powerfulLocal, signalAll } from '../powerful-local.js';

const withPowers = (powers: Powers): Animal['breakIt'] => {
  return (healthy) => ({ ...healthy, backend: powerfulLocal(healthy.backend, powers) });
};

/** A place that takes its time to wake. */
const slowToWake = withPowers({
  signal: (id, name) => {
    if (name === 'CONT') spawnSync('sleep', ['0.5']);
    signalAll(id, name);
  },
});

export const powerAnimals: readonly Animal[] = [
  {
    name: 'refuses commands in a pause',
    caughtBy: 'L6.disk',
    breakIt: (healthy) =>
      breakSandbox((sandbox) => {
        let paused = false;
        return {
          pause: async () => {
            paused = true;
            await sandbox.pause();
          },
          exec: async (command, options) => {
            if (paused) throw new Error('the container is paused');
            return sandbox.exec(command, options);
          },
        };
      })(withPowers({})(healthy)),
  },
  {
    name: 'hides how long a place took to wake',
    caughtBy: 'L6.disk',
    breakIt: (healthy) =>
      breakExec(async (sandbox, command, options) => {
        const result = await sandbox.exec(command, options);
        return { ...result, stdout: result.stdout, stderr: result.stderr, durationMs: 1 };
      })(slowToWake(healthy)),
  },
  {
    name: 'cannot be paused twice',
    caughtBy: 'L6.idempotent',
    breakIt: (healthy) =>
      breakSandbox((sandbox) => {
        let paused = false;
        return {
          pause: async () => {
            if (paused) throw new Error('already paused');
            paused = true;
            await sandbox.pause();
          },
        };
      })(withPowers({})(healthy)),
  },
  { name: 'lets jobs run on in a pause', caughtBy: 'L6.memory', breakIt: withPowers({ signal: () => {} }) },
  {
    name: 'says that a snapshot has the files and shares them',
    caughtBy: 'L7.files',
    breakIt: withPowers({
      copy: async (from, to) => {
        await rm(to, { recursive: true });
        await symlink(from, to);
      },
    }),
  },
  {
    name: 'loses the modes of files in a snapshot',
    caughtBy: 'L7.files',
    breakIt: withPowers({
      copy: async (from, to) => {
        await cp(from, to, { recursive: true });
        spawnSync('chmod', ['-R', '755', to]);
      },
    }),
  },
  { name: 'makes empty snapshots', caughtBy: 'L7.files', breakIt: withPowers({ copy: async () => {} }) },
  {
    name: 'starts an empty sandbox from a snapshot that does not exist',
    caughtBy: 'L7.unknown',
    breakIt: withPowers({ copy: (from, to) => cp(from, to, { recursive: true }).catch(() => {}) }),
  },
];
