import { availableParallelism } from 'node:os';
import type { Box } from '../core/index.js';

/** Ends the biggest process whenever all of them together hold more than $1 pages, as a machine without memory left does. */
const watchdog = `while :; do
  cat /proc/[0-9]*/stat 2>/dev/null | awk -v most="$1" '
    { pid = $1; sub(/^.*\\) /, ""); pages = $22; sum += pages; if (pages > top && pid > 1) { top = pages; big = pid } }
    END { if (sum > most && big) system("kill -KILL " big) }'
  sleep 0.1
done`;

const pageBytes = 4096;

export function watchMemory(box: Box, memoryMiB: number): void {
  const pages = Math.floor((memoryMiB * 1024 * 1024) / pageBytes);
  box.spawn({ argv: ['/bin/sh', '-c', watchdog, 'memory', String(pages)], env: { PATH: '/usr/bin:/bin' } });
}

/** The same program on as many processors as the sandbox has. */
export function onProcessors(vcpus: number, argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (vcpus >= availableParallelism()) return argv;
  return ['taskset', '-c', `0-${vcpus - 1}`, ...argv];
}
