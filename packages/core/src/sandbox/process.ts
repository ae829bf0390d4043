import type { GateOutcome } from '../contract/index.js';
import { admit, resolveDirectory, type SandboxCore, start } from './core.js';
import { checkCommand, checkOptions } from './requests.js';
import type { CommandEnd, Process, SpawnOptions } from './types.js';

/** @throws the typed error for a directory that cannot be entered, before anything runs. */
export async function spawnProcess(core: SandboxCore, command: string, options: SpawnOptions = {}): Promise<Process> {
  core.life.require('spawn');
  checkCommand(command, 'spawn');
  checkOptions('spawn', options);
  const cwd = await resolveDirectory(core, options.cwd);
  const pass = await admit(core, 'spawn', command, cwd, options.env, options.signal);
  const bytes = { stdout: 0, stderr: 0 };
  const outcome = (end: Pick<GateOutcome, 'ended' | 'exitCode' | 'durationMs'>) => {
    pass.ended({ ...end, stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr });
  };
  try {
    const started = await start(
      core,
      { program: { kind: 'command', text: command }, cwd, env: options.env, stdin: options.stdin === 'pipe' ? 'stream' : 'none', acknowledge: true },
      options,
    );
    const { running } = started;
    // The stream's own push is the one place that sees every byte without making it flow.
    for (const name of ['stdout', 'stderr'] as const) count(running[name], (length) => {
      bytes[name] += length;
      started.touch();
    });
    await running.started;
    const exited = started.ended.then(({ note: _note, ...end }): CommandEnd => end);
    void exited.then(outcome);
    return {
      stdin: running.stdin,
      stdout: running.stdout,
      stderr: running.stderr,
      exited,
      kill: (signal = 'SIGTERM') => running.kill(signal),
    };
  } catch (error) {
    outcome({ ended: 'failed', exitCode: null, durationMs: 0 });
    throw error;
  }
}

function count(stream: Process['stdout'], seen: (length: number) => void): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk) seen(chunk.length);
    return push(chunk, encoding);
  };
}
