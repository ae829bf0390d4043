import { spawnSync } from 'node:child_process';
import { cp, rm, symlink } from 'node:fs/promises';
import type { Animal } from '../animal.js';
import { type Powers, powerfulLocal } from '../powerful-local.js';

const withPowers = (powers: Powers): Animal['breakIt'] => {
  return (healthy) => ({ ...healthy, backend: powerfulLocal(healthy.backend, powers) });
};

export const powerAnimals: readonly Animal[] = [
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
