import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, capabilitiesOf, type Driver, PetasosError, type SandboxState } from '../../src/contract/index.js';
import { overlay } from './animal.js';

/** What a place with more powers than this machine does, so that their scenarios and animals can be run here. */
export interface Powers {
  /** Freezes or wakes the processes of the sandbox; the default sends STOP and CONT. */
  readonly signal?: ((id: string, name: 'STOP' | 'CONT') => void) | undefined;
  /** Copies a workdir; the default copies all of it. */
  readonly copy?: ((from: string, to: string) => Promise<void>) | undefined;
}

/** The local backend with a workdir of its own for each sandbox, which can be copied, and processes that can be frozen. */
export function powerfulLocal<Options>(backend: Backend<Options>, powers: Powers = {}): Backend<Options> {
  const directories = new Map<string, string>();
  const paused = new Set<string>();
  const copy = powers.copy ?? ((from, to) => cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true }));
  const signal = powers.signal ?? signalAll;
  const fresh = () => mkdtemp(join(tmpdir(), 'petasos-powerful-'));
  const snapshotOf = (id: string) => join(tmpdir(), `petasos-snapshot-${id}`);

  const empower = (driver: Driver, workdir: string): Driver => {
    const { id } = driver.ref;
    return overlay(driver, {
      workdir,
      async state(): Promise<SandboxState> {
        return paused.has(id) ? 'paused' : ((await driver.state?.()) ?? 'running');
      },
      async pause() {
        paused.add(id);
        signal(id, 'STOP');
      },
      async resume() {
        signal(id, 'CONT');
        paused.delete(id);
      },
      async snapshot() {
        const name = `${id}-${randomBytes(4).toString('hex')}`;
        await mkdir(snapshotOf(name));
        await copy(workdir, snapshotOf(name));
        return name;
      },
    });
  };

  return {
    ...backend,
    capabilities: (options) => ({ ...capabilitiesOf(backend, options), pause: 'memory', snapshot: 'new-sandbox' }),
    async create(options, { from, ...spec }) {
      const workdir = await fresh();
      if (from !== undefined) {
        await copy(snapshotOf(from), workdir).catch((cause: unknown) => {
          throw new PetasosError('sandbox-not-found', `there is no snapshot ${from}`, {
            backend: backend.name,
            operation: 'create',
            cause,
          });
        });
      }
      const driver = await backend.create(options, { ...spec, workdir });
      directories.set(driver.ref.id, workdir);
      return empower(driver, workdir);
    },
    async attach(options, ref, context) {
      return empower(await backend.attach(options, ref, context), directories.get(ref.id) ?? '/');
    },
    async list(options, host) {
      const listed = await backend.list(options, host);
      return listed.map((one) => (paused.has(one.ref.id) ? { ...one, state: 'paused' as const } : one));
    },
    async destroy(options, ref, host) {
      signal(ref.id, 'CONT');
      await backend.destroy(options, ref, host);
      const workdir = directories.get(ref.id);
      if (workdir !== undefined) await rm(workdir, { recursive: true, force: true });
    },
  };
}

/** Reaches what carries the sandbox's id in its environment: commands and jobs, and what serves them. */
export function signalAll(id: string, name: 'STOP' | 'CONT'): void {
  spawnSync('sh', [
    '-c',
    `kill -s "$1" $(grep -la "$2" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | grep -vx "$PPID") 2>/dev/null`,
    'signal',
    name,
    id,
  ]);
}
