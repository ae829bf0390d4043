import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { command } from './command.js';
import { endTree, processesOn } from './processes.js';

const daemons = /^(dockerd|docker-proxy|containerd(-shim.*)?|podman|conmon|sshd|ssh-agent|munged|slurmctld|slurmd)$/;

/**
 * Removes a service's folder, and first what would keep it: daemons on files in it that a killed parent left behind, and
 * their mounts.
 */
export async function clearDirectory(directory: string): Promise<void> {
  for (const stray of processesOn(`${directory}/`, daemons)) await endTree(stray, 2_000);
  for (const mountPoint of mountsBelow(directory)) await command('umount', ['--lazy', mountPoint]);
  await rm(directory, { recursive: true, force: true });
}

/** Deepest first. The kernel writes odd characters of a path in octal. */
function mountsBelow(directory: string): string[] {
  if (process.platform !== 'linux') return [];
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) =>
      (line.split(' ')[1] ?? '').replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    )
    .filter((mountPoint) => mountPoint.startsWith(`${directory}/`))
    .reverse();
}
