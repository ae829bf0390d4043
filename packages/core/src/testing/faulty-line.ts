import { pipeline, Transform } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { type Backend, type Driver, type DriverExit, type DriverProcess, PetasosError, type SandboxState } from '../contract/index.js';

/** A backend behind a line that can be spoilt, and the means to spoil it: fits the suite's `faults`. */
export interface FaultyLine<Options> {
  readonly backend: Backend<Options>;
  readonly faults: {
    cutConnection(): Promise<void>;
    killPlace(sandbox: { readonly id: string }): Promise<void>;
    pausePlace(): Promise<() => Promise<void>>;
    delay(sandbox: unknown, ms: number): Promise<() => Promise<void>>;
  };
}

/**
 * Puts a line between the engine and any backend's drivers. It breaks as a network does: the engine's side gets an error
 * at once, the place's side sees its input end, and what was on the way is lost. For a place without a network of its
 * own; where there is one, break that.
 */
export function behindFaultyLine<Options>(backend: Backend<Options>): FaultyLine<Options> {
  const open = new Set<(reason: 'disconnected' | 'destroyed') => void>();
  const dead = new Set<string>();
  const line: Line = { delayMs: 0, frozen: Promise.resolve() };

  const destroyed = (driver: Driver) =>
    new PetasosError('destroyed', `the sandbox ${driver.ref.name} is gone`, { backend: backend.name, operation: 'spawn' });

  const carry = (driver: Driver): Driver => {
    const members: Pick<Driver, 'spawn' | 'state'> = {
      async spawn(request) {
        await line.frozen;
        if (dead.has(driver.ref.id)) throw destroyed(driver);
        let cut: 'disconnected' | 'destroyed' | undefined;
        // A request that is on its way is cut like one that has arrived.
        const onTheWay = (reason: typeof cut) => {
          cut = reason;
        };
        open.add(onTheWay);
        const process = await driver.spawn(request).finally(() => open.delete(onTheWay));
        return overLine(process, line, open, backend.name, cut);
      },
      async state(): Promise<SandboxState> {
        await line.frozen;
        if (dead.has(driver.ref.id)) return 'gone';
        return (await driver.state?.()) ?? 'running';
      },
    };
    return new Proxy(driver, {
      get(target, key) {
        const value: unknown = Reflect.get(Object.hasOwn(members, key) ? members : target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };

  return {
    backend: {
      ...backend,
      create: async (options, spec) => carry(await backend.create(options, spec)),
      attach: async (options, ref, context) => carry(await backend.attach(options, ref, context)),
    },
    faults: {
      async cutConnection() {
        for (const cut of [...open]) cut('disconnected');
      },
      async killPlace({ id }) {
        dead.add(id);
        for (const cut of [...open]) cut('destroyed');
      },
      async pausePlace() {
        let thaw: () => void = () => {};
        line.frozen = new Promise((resolve) => {
          thaw = resolve;
        });
        return async () => thaw();
      },
      async delay(_, ms) {
        line.delayMs = ms;
        return async () => {
          line.delayMs = 0;
        };
      },
    },
  };
}

/** What is wrong with the line at the moment. */
interface Line {
  delayMs: number;
  frozen: Promise<void>;
}

function overLine(
  process: DriverProcess,
  line: Line,
  open: Set<(reason: 'disconnected' | 'destroyed') => void>,
  backend: string,
  alreadyCut: 'disconnected' | 'destroyed' | undefined,
): DriverProcess {
  let fail: (error: PetasosError) => void = () => {};
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const exited = Promise.race([arriveLate(process.exited, line), broken]);
  exited.catch(() => {});
  const stdout = process.stdout.pipe(slowly(line));
  const stderr = process.stderr?.pipe(slowly(line));
  const stdin = process.stdin && slowly(line);
  // The far end may stop reading at any time; this end is to learn of it as it would from the place itself.
  if (stdin && process.stdin) pipeline(stdin, process.stdin, () => {});
  const cut = (reason: 'disconnected' | 'destroyed') => {
    open.delete(cut);
    fail(new PetasosError(reason, 'the line was cut', { backend, operation: 'spawn' }));
    for (const stream of [process.stdin, process.stdout, process.stderr, stdin, stdout, stderr]) {
      stream?.on('error', () => {});
      stream?.destroy();
    }
  };
  open.add(cut);
  void process.exited.then(
    () => open.delete(cut),
    () => open.delete(cut),
  );
  if (alreadyCut !== undefined) cut(alreadyCut);
  return { stdin, stdout, stderr, exited, kill: () => process.kill() };
}

/** The exit is told after the output, as on any line that keeps its order. */
async function arriveLate(exit: Promise<DriverExit>, line: Line): Promise<DriverExit> {
  const value = await exit;
  await passage(line);
  return value;
}

/** Chunks that a late line carries at a time, like the window of a connection. */
const windowChunks = 64;

function slowly(line: Line): Transform {
  let last = Promise.resolve();
  let underway = 0;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      underway += 1;
      last = Promise.all([last, passage(line)]).then(() => {
        underway -= 1;
        this.push(chunk);
      });
      // On a line that is late and no more, what follows a chunk sets out before that has arrived.
      if (line.delayMs > 0 && underway < windowChunks) done();
      else void last.then(() => done());
    },
    flush(done) {
      void last.then(() => done());
    },
  });
}

async function passage(line: Line): Promise<void> {
  await line.frozen;
  if (line.delayMs > 0) await delay(line.delayMs);
}
