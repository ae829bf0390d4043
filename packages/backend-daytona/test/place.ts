import daytona, { type DaytonaOptions } from '@petasos/backend-daytona';
import { admitAll, type OpenOptions, open, type Sandbox } from '@petasos/core';
import { type RemoteEmulator, spawnEmulator } from '@petasos/emulators';

export type Emulator = RemoteEmulator;

/** An emulator for one test file. */
export function startEmulator(knobs: Readonly<Record<string, unknown>> = {}): Promise<Emulator> {
  return spawnEmulator('daytona', { transitionMs: 5, ...knobs });
}

export function hostEnv(emulator: Emulator): Record<string, string | undefined> {
  return { PATH: process.env.PATH, HOME: process.env.HOME, ...emulator.env };
}

export function openSandbox(
  emulator: Emulator,
  options: Partial<DaytonaOptions> = {},
  more: Omit<OpenOptions, 'options'> = {},
): Promise<Sandbox> {
  return open(daytona, { options, hostEnv: hostEnv(emulator), gate: admitAll(), ...more });
}

/** A command whose runs are counted. */
export const counted = (file: string) => `echo ran >>${file}; echo output; echo error >&2; exit 3`;

export async function runs(sandbox: Sandbox, file: string): Promise<number> {
  return (await sandbox.files.readText(file)).split('\n').length - 1;
}
