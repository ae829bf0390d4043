import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { command, findProgram } from '../command.js';
import type { Service } from '../service.js';

export interface UserlandInfo {
  /** Path of busybox: a POSIX `sh` and tools that are not GNU's. */
  readonly busybox: string;
  /** Directory with a link for each of its applets, for a PATH of nothing else. */
  readonly applets: string;
}

/** Programs that tests run the engine's scripts under, beside those of the machine. No process is started. */
export const userland: Service<UserlandInfo> = {
  name: 'userland',
  needs: () => [{ program: 'busybox', debianPackage: 'busybox-static' }],
  async start({ directory }) {
    const busybox = findProgram('busybox');
    if (busybox === undefined) throw new Error('busybox not found');
    const applets = join(directory, 'applets');
    await mkdir(applets);
    await command(busybox, ['--install', '-s', applets]);
    return { info: { busybox, applets }, processes: [] };
  },
  async probe({ applets }) {
    await command(join(applets, 'true'), []);
  },
};
