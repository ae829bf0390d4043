import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ask } from './control.js';
import type { AccountState } from './emulator.js';
import type { FaultRule } from './faults.js';
import type { LoggedRequest } from './requests.js';

/** An emulator in another process: what it holds is not in the memory, the open files and the processor time of the test. */
export interface RemoteEmulator {
  readonly name: string;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  fault(rule: FaultRule): Promise<void>;
  clearFaults(): Promise<void>;
  /** Those whose name matches the regular expression. */
  requests(pattern?: string): Promise<readonly LoggedRequest[]>;
  clearRequests(): Promise<void>;
  setKnobs(knobs: Readonly<Record<string, unknown>>): Promise<void>;
  state(): Promise<AccountState>;
  act(action: string, box?: string): Promise<void>;
  advance(ms: number): Promise<void>;
  skew(ms: number): Promise<void>;
  /** Ends it, if it was started here. */
  close(): Promise<void>;
}

const variable = (name: string) => `PETASOS_EMULATOR_${name.toUpperCase()}`;

/**
 * The emulator of this name that this process, or the one that started it, already uses; else a new one, which ends with this process.
 * So a test's second client meets the same account.
 */
export async function useEmulator(name: string, knobs: Readonly<Record<string, unknown>> = {}): Promise<RemoteEmulator> {
  const known = process.env[variable(name)];
  if (known !== undefined) return connect(known, async () => {});
  const emulator = await spawnEmulator(name, knobs);
  process.env[variable(name)] = emulator.control;
  return emulator;
}

/** An emulator of its own, in a new process. */
export async function spawnEmulator(
  name: string,
  knobs: Readonly<Record<string, unknown>> = {},
): Promise<RemoteEmulator & { readonly control: string }> {
  const typescript = pathToFileURL(createRequire(import.meta.url).resolve('tsx'));
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', typescript.href, main, name, '--child'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  });
  const [line] = (await Promise.race([
    once(createInterface(child.stdout), 'line'),
    once(child, 'exit').then(([code]) => [`ended with status ${code}`]),
  ])) as [string];
  if (!line.startsWith('http')) throw new Error(`the emulator of ${name} ${line}`);
  const control = line;
  // It must not keep a test that is done from ending; it ends itself when its stdin does.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  const emulator = await connect(control, async () => {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  await emulator.setKnobs(knobs);
  return { ...emulator, control };
}

async function connect(control: string, close: () => Promise<void>): Promise<RemoteEmulator> {
  const { name, url, env } = await ask(control, 'describe');
  const order = async (work: Promise<null>) => void (await work);
  return {
    name,
    url,
    env,
    fault: (rule) => order(ask(control, 'fault', rule)),
    clearFaults: () => order(ask(control, 'clearFaults')),
    requests: (pattern) => ask(control, 'requests', pattern),
    clearRequests: () => order(ask(control, 'clearRequests')),
    setKnobs: (knobs) => order(ask(control, 'knobs', knobs)),
    state: () => ask(control, 'state'),
    act: (action, box) => order(ask(control, 'act', { action, box })),
    advance: (advanceMs) => order(ask(control, 'clock', { advanceMs })),
    skew: (skewMs) => order(ask(control, 'clock', { skewMs })),
    close,
  };
}
