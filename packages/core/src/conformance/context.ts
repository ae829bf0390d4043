import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend, Capabilities, Placement } from '../contract/index.js';
import type { OpenOptions, Sandbox } from '../sandbox/types.js';
import { attachClient } from './client.js';
import type { Client } from './client-task.js';
import { describeError, ensure, exited, fail } from './expect.js';
import { openFor } from './open.js';
import { poll } from './poll.js';
import type { Leftovers, RunState } from './run-state.js';
import type { Context } from './scenario.js';
import type { Subject } from './subject.js';
import { findSurvivors } from './survivors.js';

/** What stays the same for a whole run. */
export interface Frame {
  readonly subject: Subject;
  /** The options as the backend's schema returned them. */
  readonly options: unknown;
  readonly capabilities: Capabilities;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly run: RunState;
}

/** A sandbox as it was opened, with what it said about itself. */
export interface Opened {
  readonly sandbox: Sandbox;
  readonly placement: Placement;
}

const placesAtMost = 2;

/** Opens with the run's marker in the environment of every command, and keeps the names for the check at the end. */
export async function openMarked(frame: Frame, options: Omit<OpenOptions, 'options' | 'gate'>, marked = true): Promise<Sandbox> {
  const sandbox = await openFor(frame.subject, {
    ...options,
    hostEnv: { ...frame.hostEnv, ...options.hostEnv },
    env: marked ? { PETASOS_CONFORMANCE: frame.run.marker, ...options.env } : options.env,
  });
  frame.run.opened.add(sandbox.id).add(sandbox.name);
  return sandbox;
}

/** Removes a sandbox whatever state it is in: a handle that was closed or broken cannot keep it alive. */
export async function discard(frame: Frame, sandbox: Sandbox): Promise<void> {
  try {
    await sandbox.destroy();
  } catch {
    const backend: Backend = frame.subject.backend;
    await backend.destroy(frame.options, sandbox.ref, { env: frame.hostEnv, platform: process.platform });
  }
}

export interface ScenarioContext extends Context {
  readonly notes: readonly string[];
  /** Undoes what the scenario did. Throws when something could not be undone. */
  cleanUp(): Promise<void>;
}

export function createContext(frame: Frame, opened: Opened, leftovers: Leftovers | undefined): ScenarioContext {
  const { subject, capabilities, hostEnv, run } = frame;
  const { sandbox, placement } = opened;
  const further: Sandbox[] = [];
  const gone = new Set<string>();
  const clients: Client[] = [];
  const notes: string[] = [];
  const remote: string[] = [];
  const local: string[] = [];
  const places = () => new Set([sandbox.id, ...further.map((one) => one.id).filter((id) => !gone.has(id))]);

  const survivors: Context['survivors'] = (marker, on = sandbox) => findSurvivors(on, marker);

  return {
    subject,
    sandbox,
    capabilities,
    placement,
    shell: placement.shell.kind,
    hostEnv,
    leftovers,
    run,
    notes,
    survivors,
    note: (text) => void notes.push(text),
    name() {
      const name = run.unique('sandbox');
      run.opened.add(name);
      return name;
    },
    marker: () => run.unique('mark'),
    eventually: (what, probe, withinMs = 5000) => poll(what, probe, withinMs),
    async open(options = {}) {
      const sandbox = noticing(await openMarked(frame, options), (id) => gone.add(id));
      const twin = further.find((one) => one.name === sandbox.name && one.id !== sandbox.id && !gone.has(one.id));
      further.push(sandbox);
      ensure(twin === undefined, `one name should be one sandbox, observed two of the name ${sandbox.name}`);
      ensure(places().size <= placesAtMost, `a scenario may not hold more than ${placesAtMost} places at a time`);
      return sandbox;
    },
    async client(task) {
      if (subject.spawnClient === undefined) fail('the scenario uses a client and does not list the hook spawnClient');
      run.opened.add(task.name);
      const client = attachClient(subject.spawnClient(task));
      clients.push(client);
      return client;
    },
    async gone(marker, withinMs = 1000, on = sandbox) {
      const deadline = performance.now() + withinMs;
      for (;;) {
        const left = await survivors(marker, on);
        if (left.length === 0) return;
        if (performance.now() > deadline) {
          const pids = left.map((one) => `${one.pid} by its ${one.found}`).join(', ');
          fail(`no process should be left, ${left.length} found on the target after ${withinMs} ms: ${pids}`);
        }
      }
    },
    async alive(marker, withinMs = 5000, on = sandbox) {
      await poll('a process that should be alive on the target', async () => (await survivors(marker, on)).length > 0, withinMs);
    },
    async end(marker, on = sandbox) {
      const pids = new Set((await survivors(marker, on)).map((one) => one.pid));
      if (pids.size > 0) await on.exec(`kill -KILL ${[...pids].join(' ')} 2>/dev/null`);
      await poll('the end of what was killed', async () => (await survivors(marker, on)).length === 0, 2000);
    },
    async directory() {
      const name = run.unique('dir');
      const made = await sandbox.exec(`d="\${TMPDIR:-/tmp}/${name}" && mkdir -m 700 "$d" && cd "$d" && pwd -P`);
      exited(made);
      const path = made.stdout.trimEnd();
      remote.push(path);
      return path;
    },
    async localDirectory() {
      const path = await mkdtemp(join(tmpdir(), 'petasos-suite-'));
      local.push(path);
      return path;
    },
    async cleanUp() {
      const failures: string[] = [];
      const attempt = async (what: string, work: () => Promise<unknown>) => {
        try {
          await work();
        } catch (error) {
          failures.push(`${what}: ${describeError(error)}`);
        }
      };
      for (const client of clients) await attempt('end the other client', () => client.kill());
      if (remote.length > 0) await attempt('remove directories of the target', () => removeRemote(sandbox, remote));
      for (const path of local) await attempt('remove a local directory', () => rm(path, { recursive: true, force: true }));
      for (const one of further.reverse()) await attempt(`destroy ${one.name}`, () => discard(frame, one));
      if (failures.length > 0) fail(`cleaning up: ${failures.join('; ')}`);
    },
  };
}

/** The sandbox as it is, and word of its end. */
function noticing(sandbox: Sandbox, ended: (id: string) => void): Sandbox {
  return new Proxy(sandbox, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'destroy' && key !== Symbol.asyncDispose) return value.bind(target);
      return async () => {
        await Reflect.apply(value, target, []);
        ended(target.id);
      };
    },
  });
}

async function removeRemote(sandbox: Sandbox, paths: readonly string[]): Promise<void> {
  const quoted = paths.map((path) => `'${path.replaceAll("'", `'\\''`)}'`).join(' ');
  exited(await sandbox.exec(`chmod -R u+rwx ${quoted}; rm -rf ${quoted}`));
}
