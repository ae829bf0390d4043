import { constants } from 'node:os';
import type { CommandSignal } from '@petasos/core';

export interface Killable {
  kill(signal?: CommandSignal): Promise<void>;
}

const forwarded = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const satisfies readonly CommandSignal[];

/**
 * Hands the signals of this process on to the command: the first as it is, the second as KILL; the third ends this process,
 * in case the place no longer answers. Before there is a command, the first one aborts what is being prepared.
 */
export interface SignalForwarding {
  /** Aborted by a signal that arrives before {@link attach}. */
  readonly aborted: AbortSignal;
  /** The first signal that arrived. */
  received(): CommandSignal | undefined;
  attach(command: Killable): void;
  release(): void;
}

export function forwardSignals(): SignalForwarding {
  const controller = new AbortController();
  let count = 0;
  let first: CommandSignal | undefined;
  let command: Killable | undefined;
  const deliver = (target: Killable, signal: CommandSignal) => void target.kill(signal).catch(() => undefined);
  const listener = (name: NodeJS.Signals) => {
    const signal = forwarded.find((candidate) => candidate === name) ?? 'SIGTERM';
    first ??= signal;
    count += 1;
    if (count > 2 || (command === undefined && count > 1)) process.exit(signalStatus(signal));
    if (command === undefined) controller.abort();
    else deliver(command, count === 1 ? signal : 'SIGKILL');
  };
  for (const name of forwarded) process.on(name, listener);
  return {
    aborted: controller.signal,
    received: () => first,
    attach: (started) => {
      command = started;
      if (first !== undefined) deliver(started, first);
    },
    release: () => {
      for (const name of forwarded) process.off(name, listener);
    },
  };
}

/** 128 + n, as shells tell it. */
export function signalStatus(signal: string): number {
  const numbers: Readonly<Record<string, number>> = constants.signals;
  return 128 + (numbers[signal] ?? 0);
}
