import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** What a whole run shares: its names, its private temporary directory, and the handles that were open before. */
export interface RunState {
  /** In the environment of every command of the run, so that what commands leave behind can be counted at the end. */
  readonly marker: string;
  /** Where this process's temporary files go during the run. */
  readonly temporary: string;
  /** Ids and names of every sandbox that was opened. */
  readonly opened: Set<string>;
  /** A word that was not given out before. */
  unique(kind: string): string;
  /** What this process holds more than at the start; waits a little for what is just being let go. */
  leftovers(): Promise<Leftovers>;
}

/** What is still there after every sandbox of the run was destroyed. */
export interface Leftovers {
  /** Kinds of open handles of this process, and how many more of each there are than before the run. */
  readonly handles: Readonly<Record<string, number>>;
  /** Temporary files of this process. */
  readonly files: readonly string[];
}

/** Kinds that hold on to something outside of this process. Timers and file requests come and go with the test runner. */
const lasting = [
  'ProcessWrap',
  'PipeWrap',
  'TCPSocketWrap',
  'TCPServerWrap',
  'PipeServerWrap',
  'UDPWrap',
  'TTYWrap',
  'FSEventWrap',
  'StatWatcher',
];

/** Runs of one process take turns: each one has the process's temporary directory and its handles for itself. */
let turn: Promise<void> = Promise.resolve();

export async function startRun(): Promise<RunState & { end(): Promise<void> }> {
  const before = turn;
  let pass = () => {};
  turn = new Promise((resolve) => {
    pass = resolve;
  });
  await before;
  const state = await takeTurn();
  return {
    ...state,
    async end() {
      await state.end();
      pass();
    },
  };
}

async function takeTurn(): Promise<RunState & { end(): Promise<void> }> {
  const run = randomBytes(4).toString('hex');
  const previous = process.env.TMPDIR;
  const temporary = await mkdtemp(join(tmpdir(), 'petasos-conformance-'));
  process.env.TMPDIR = temporary;
  const before = countHandles();
  let count = 0;
  const unique = (kind: string) => `petasos-${kind}-${run}-${(count++).toString(36)}`;
  return {
    marker: unique('run'),
    temporary,
    opened: new Set(),
    unique,
    async leftovers() {
      const deadline = performance.now() + 2000;
      for (;;) {
        const left = { handles: gainedSince(before), files: await readdir(temporary) };
        const clean = Object.keys(left.handles).length === 0 && left.files.length === 0;
        if (clean || performance.now() > deadline) return left;
        await delay(50);
      }
    },
    async end() {
      if (previous === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = previous;
      await rm(temporary, { recursive: true, force: true });
    },
  };
}

function gainedSince(before: ReadonlyMap<string, number>): Record<string, number> {
  const gained: Record<string, number> = {};
  for (const [kind, now] of countHandles()) {
    const more = now - (before.get(kind) ?? 0);
    if (more > 0) gained[kind] = more;
  }
  return gained;
}

function countHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    if (lasting.includes(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
