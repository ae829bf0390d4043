import { finished } from 'node:stream/promises';
import type { CommandEnd, Process, Sandbox, SpawnOptions } from '@petasos/core';
import { exitStatus } from '../ui/exit-status.js';
import { onBrokenPipe } from './broken-pipe.js';
import type { Context } from './context.js';
import type { SignalForwarding } from './signals.js';
import { stdinHasInput } from './stdin.js';

/** Runs a command as if it were here: its streams are ours, byte for byte, and a slow reader of ours slows it down. */
export async function runForeground(
  context: Context,
  sandbox: Sandbox,
  text: string,
  options: Omit<SpawnOptions, 'stdin' | 'signal'>,
  signals: SignalForwarding,
): Promise<CommandEnd> {
  const withInput = stdinHasInput();
  const command = await sandbox.spawn(text, { ...options, stdin: withInput ? 'pipe' : 'none', signal: signals.aborted });
  signals.attach(command);
  endOnBrokenPipe(command);
  if (withInput) feed(context.stdin, command);
  command.stdout.pipe(context.stdout, { end: false });
  command.stderr.pipe(context.stderr, { end: false });
  const [end] = await Promise.all([command.exited, drained(command.stdout), drained(command.stderr)]);
  return end;
}

/** A command may end without reading all of its input, or any of it. */
function feed(input: NodeJS.ReadStream, command: Process): void {
  const target = command.stdin;
  if (target === undefined) return;
  const stop = () => {
    input.unpipe(target);
    input.pause();
  };
  target.on('error', stop);
  target.on('close', stop);
  input.on('error', () => target.end());
  input.pipe(target);
}

async function drained(stream: Process['stdout']): Promise<void> {
  // A stream that breaks off belongs to a place that broke off: the command's end tells it.
  await finished(stream, { writable: false }).catch(() => undefined);
}

/** Nobody reads our output any more: nobody waits for the command either. */
function endOnBrokenPipe(command: Process): void {
  let told = false;
  onBrokenPipe(() => {
    if (told) return;
    told = true;
    command.stdout.resume();
    command.stderr.resume();
    const leave = () => process.exit(exitStatus.brokenPipe);
    command
      .kill('SIGTERM')
      .then(() => command.exited)
      .then(leave, leave);
  });
}
