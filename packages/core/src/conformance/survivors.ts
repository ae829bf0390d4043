import type { Sandbox } from '../sandbox/types.js';
import { fail } from './expect.js';
import type { Survivor } from './scenario.js';

/**
 * Every process's arguments and environment, filtered to the lines with the marker. The bracket keeps the search from
 * finding itself; `tr` comes first because a NUL ends the line for some greps.
 */
const script = (pattern: string) => `if [ -r /proc/self/cmdline ]; then
  head -n 1000000 /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a -e '^==> /proc/' -e '${pattern}'
else
  ps -A -E -ww -o pid=,command= | grep -e '${pattern}'
fi
true`;

/** Counts on the target, through the sandbox itself. */
export async function findSurvivors(sandbox: Sandbox, marker: string): Promise<readonly Survivor[]> {
  if (!/^[a-z][a-z0-9-]+$/.test(marker)) throw new TypeError(`not a marker: ${JSON.stringify(marker)}`);
  const pattern = `[${marker[0]}]${marker.slice(1)}`;
  const result = await sandbox.exec(script(pattern), { maxOutputBytes: 8 * 1024 * 1024, timeoutMs: 15_000 });
  if (result.ended !== 'exited') fail(`processes could not be counted on the target: ${result.ended} ${result.stderr}`);
  return parseSurvivors(result.stdout, marker);
}

export function parseSurvivors(listing: string, marker: string): readonly Survivor[] {
  const found = new Map<string, Survivor>();
  let current: Survivor | undefined;
  for (const line of listing.split('\n')) {
    const header = /^==> \/proc\/(\d+)\/(cmdline|environ) <==$/.exec(line);
    if (header) current = { pid: Number(header[1]), found: header[2] === 'cmdline' ? 'arguments' : 'environment' };
    else if (line.includes(marker)) {
      const survivor = current ?? { pid: Number.parseInt(line, 10), found: 'arguments' };
      found.set(`${survivor.pid} ${survivor.found}`, survivor);
    }
  }
  return [...found.values()];
}
