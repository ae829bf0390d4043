import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type DriverExit, type DriverProcess, isPetasosError } from '@petasos/core/backend';
import { runScript } from './machine/machine.js';
import { shellWords } from './machine/quote.js';
import type { SandboxRecord } from './records.js';
import { relay } from './scripts/door.js';
import { directoryOf, type Site } from './site.js';

/** How long, in looks at the sandbox, the reason for a cut is waited for. */
const pauseMs = 300;
const cutLooks = 5;

export interface DoorRequest {
  /** Words that lead to where the door is, such as those of a step. */
  readonly way: readonly string[];
  readonly argv: readonly string[];
  readonly stdin: boolean;
  /** Throws what became of the sandbox when it does not run any more. */
  running(): Promise<unknown>;
}

/** A process that is started at the sandbox's door. */
export async function spawnAtDoor(site: Site, record: SandboxRecord, { way, argv, stdin, running }: DoorRequest): Promise<DriverProcess> {
  const directory = directoryOf(site, record.name);
  const ticket = randomBytes(8).toString('hex');
  const words = [...way, '/bin/sh', '-c', relay, 'petasos', directory, ticket, shellWords(['exec', ...argv])];
  const process = await site.machine.spawn(words, stdin);
  let killed = false;
  return {
    ...process,
    exited: explained(process, { wasCut: async () => !killed && (await leftAtDoor(site, directory, ticket)), running }),
    kill() {
      killed = true;
      process.kill();
    },
  };
}

interface Cut {
  /** Whether the client's side has ended without having carried its process to the end. */
  wasCut(): Promise<boolean>;
  running(): Promise<unknown>;
}

/** What was cut off ends with any status, 0 included, and a moment before its sandbox is seen to be over: that tells which it was. */
async function explained(process: DriverProcess, { wasCut, running }: Cut): Promise<DriverExit> {
  const exit = await process.exited;
  if (!(await wasCut())) return exit;
  for (let looks = 0; looks < cutLooks; looks += 1) {
    try {
      await running();
    } catch (error) {
      if (isPetasosError(error, 'destroyed')) throw error;
    }
    await delay(pauseMs);
  }
  return { ...exit, exitCode: null };
}

async function leftAtDoor(site: Site, directory: string, ticket: string): Promise<boolean> {
  const { exitCode } = await runScript(site.machine, '[ -d "$1/door/$2" ]', [directory, ticket], { timeoutMs: 5_000 });
  return exitCode === 0;
}
