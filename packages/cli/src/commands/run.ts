import { isUtf8 } from 'node:buffer';
import type { CommandOptions, Sandbox } from '@petasos/core';
import { defineCommand, nameOption } from '../args/command.js';
import { commandText } from '../args/command-text.js';
import { parseDuration } from '../args/duration.js';
import { parseEnvFlags } from '../args/env-flags.js';
import { commandStatus } from '../session/command-status.js';
import type { Context } from '../session/context.js';
import { runForeground } from '../session/foreground.js';
import { defaultName, openSandbox, resolveTarget, startDirectory } from '../session/open-sandbox.js';
import { forwardSignals, type SignalForwarding, signalStatus } from '../session/signals.js';
import { stdinHasInput } from '../session/stdin.js';
import { UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';

type Limits = Pick<CommandOptions, 'cwd' | 'env' | 'timeoutMs' | 'idleTimeoutMs' | 'graceMs'>;

export default defineCommand({
  name: 'run',
  summary: 'Run one command in the configured place',
  usage: '[options] -- CMD…',
  details:
    'One word after -- is shell text; several are a program and its arguments, taken word for word.\n' +
    'Input and output pass through unchanged. Ctrl-C goes to the command; a second one kills it.\n' +
    "The exit status is the command's own; 124: timed out, 125: the place failed, 126: not approved.",
  options: {
    name: nameOption,
    cwd: { type: 'string', value: 'DIR', help: 'directory where the command starts' },
    env: { type: 'string', short: 'e', multiple: true, value: 'K[=V]', help: 'set a variable; K alone passes on your own' },
    timeout: { type: 'string', value: '90s', help: 'end it after this time' },
    'idle-timeout': { type: 'string', value: '30s', help: 'end it after this time without output' },
    detach: { type: 'boolean', short: 'd', help: 'start it as a job, print its id and return' },
    rm: { type: 'boolean', help: 'use a new sandbox and destroy it afterwards' },
    json: { type: 'boolean', help: 'collect the output and print one JSON object' },
  },
  words: [0, Number.POSITIVE_INFINITY],
  wordsEndOptions: true,
  examples: [
    { line: 'petasos run -- npm test', does: 'a program and its arguments' },
    { line: "petasos run -- 'grep -c TODO *.ts | sort'", does: 'shell text' },
    { line: 'petasos run --sandbox docker --timeout 10m -- make', does: 'somewhere else, at most ten minutes' },
    { line: 'petasos run --detach -- ./serve.sh', does: 'a job that goes on; petasos jobs finds it again' },
  ],
  async run(context, values, words) {
    const text = commandText(words);
    if (values.rm && values.name !== undefined) throw new UsageError('--rm makes a sandbox of its own, so it cannot go with --name');
    if (values.rm && values.detach) throw new UsageError('--rm would destroy what --detach started');
    if (values.detach && values['idle-timeout'] !== undefined)
      throw new UsageError('--idle-timeout cannot go with --detach', 'Use --timeout.');
    const flagTimeoutMs = values.timeout === undefined ? undefined : parseDuration(values.timeout, '--timeout');
    const idleTimeoutMs = values['idle-timeout'] === undefined ? undefined : parseDuration(values['idle-timeout'], '--idle-timeout');
    const env = parseEnvFlags(values.env, context.env);

    const signals = forwardSignals();
    try {
      const target = await resolveTarget(context);
      const { settings } = target;
      const limits: Limits = {
        cwd: values.cwd ?? startDirectory(context, target),
        env,
        timeoutMs: flagTimeoutMs ?? settings.timeoutMs,
        idleTimeoutMs,
        graceMs: settings.graceMs,
      };
      const sandbox = await openSandbox(context, target, {
        name: values.rm ? undefined : (values.name ?? defaultName),
        signal: signals.aborted,
      });
      try {
        if (values.detach) return await startJob(context, sandbox, text, limits);
        if (context.json) return await runCaptured(context, sandbox, text, limits, signals);
        return await runStreamed(context, sandbox, text, limits, signals);
      } finally {
        await (values.rm ? sandbox.destroy() : sandbox.close());
      }
    } catch (error) {
      const received = signals.received();
      if (received !== undefined && signals.aborted.aborted) return signalStatus(received);
      throw error;
    } finally {
      signals.release();
    }
  },
});

async function runStreamed(context: Context, sandbox: Sandbox, text: string, limits: Limits, signals: SignalForwarding): Promise<number> {
  const end = await runForeground(context, sandbox, text, limits, signals);
  const { status, message } = commandStatus(end, limits, sandbox.backend);
  if (message !== undefined) context.stderr.write(`petasos: ${message}.\n`);
  return status;
}

async function runCaptured(context: Context, sandbox: Sandbox, text: string, limits: Limits, signals: SignalForwarding): Promise<number> {
  const stop = new AbortController();
  signals.attach({ kill: async () => stop.abort() });
  const result = await sandbox.exec(text, { ...limits, stdin: stdinHasInput() ? context.stdin : undefined, signal: stop.signal });
  const { status, message } = commandStatus(result, limits, sandbox.backend);
  writeJson(context, {
    ended: result.ended,
    exitCode: result.exitCode,
    signal: result.signal,
    exitStatus: status,
    durationMs: result.durationMs,
    stdout: captured(result.output.stdout),
    stderr: captured(result.output.stderr),
    ...(message === undefined ? {} : { message }),
    sandbox: { backend: sandbox.backend, name: sandbox.name, id: sandbox.id },
  });
  return status;
}

function captured(output: {
  text: string;
  bytes: Uint8Array;
  totalBytes: number;
  cutBytes: number;
  spillPath: string | undefined;
}): object {
  return {
    text: output.text,
    // Text cannot carry every byte: what it would damage comes along whole.
    ...(isUtf8(output.bytes) ? {} : { base64: Buffer.from(output.bytes).toString('base64') }),
    totalBytes: output.totalBytes,
    cutBytes: output.cutBytes,
    ...(output.spillPath === undefined ? {} : { spillPath: output.spillPath }),
  };
}

async function startJob(context: Context, sandbox: Sandbox, text: string, limits: Limits): Promise<number> {
  const { cwd, env, timeoutMs, graceMs } = limits;
  const job = await sandbox.jobs.start(text, { cwd, env, timeoutMs, graceMs });
  if (context.json) {
    writeJson(context, {
      id: job.id,
      state: job.state,
      startedAt: job.startedAt,
      sandbox: { backend: sandbox.backend, name: sandbox.name, id: sandbox.id },
    });
    return exitStatus.ok;
  }
  context.stdout.write(`${job.id}\n`);
  if (context.stderr.isTTY) {
    const where = `${context.sandbox === undefined ? '' : ` --sandbox ${sandbox.backend}`}${sandbox.name === defaultName ? '' : ` --name ${sandbox.name}`}`;
    context.stderr.write(`It runs on in ${sandbox.backend}. See its output: petasos jobs logs --follow${where} ${job.id}\n`);
  }
  return exitStatus.ok;
}
