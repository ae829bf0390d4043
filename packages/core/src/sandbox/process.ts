import { SudoFailureDetector } from '../approval/memory/sudo-guard.js';
import type { GateOutcome } from '../contract/index.js';
import { admit, resolveDirectory, type SandboxCore, start, wake } from './core.js';
import { beforeDue, OverBeforeStart } from './due.js';
import { checkCommand, checkOptions } from './requests.js';
import { neverBegun } from './start-in-time.js';
import type { CommandEnd, Process, SpawnOptions } from './types.js';

/** @throws the typed error for a directory that cannot be entered, before anything runs. */
export async function spawnProcess(core: SandboxCore, command: string, options: SpawnOptions = {}): Promise<Process> {
  checkCommand(command, 'spawn');
  checkOptions('spawn', options);
  const { signal, timeoutMs } = options;
  await wake(core, signal);
  const asked = core.now();
  let cwd: string;
  try {
    cwd = await beforeDue(resolveDirectory(core, options.cwd), { signal, timeoutMs });
  } catch (error) {
    if (error instanceof OverBeforeStart) return overBefore(options, core.now() - asked);
    throw error;
  }
  const pass = await admit(core, {
    operation: 'spawn',
    command,
    cwd,
    env: options.env,
    signal: options.signal,
    stdin: options.stdin === 'pipe' ? { text: undefined } : undefined,
  });
  const sudo = pass.watchSudo ? new SudoFailureDetector() : undefined;
  const bytes = { stdout: 0, stderr: 0 };
  const outcome = (end: Pick<GateOutcome, 'ended' | 'exitCode' | 'durationMs'>) => {
    pass.ended({ ...end, stdoutBytes: bytes.stdout, stderrBytes: bytes.stderr, sudoFailures: sudo?.failures });
  };
  try {
    const started = await start(
      core,
      'spawn',
      {
        program: { kind: 'command', text: command },
        cwd,
        env: options.env,
        stdin: options.stdin === 'pipe' ? 'stream' : 'none',
        acknowledge: true,
      },
      options,
    );
    const { running } = started;
    // The stream's own push is the one place that sees every byte without making it flow.
    for (const name of ['stdout', 'stderr'] as const) {
      observe(running[name], (chunk) => {
        bytes[name] += chunk.length;
        started.touch();
        if (name === 'stderr') sudo?.push(chunk);
      });
    }
    await running.started;
    const exited = started.ended.then(({ note: _note, ...end }): CommandEnd => end);
    void exited.then(outcome);
    return {
      stdin: running.stdin,
      stdout: running.stdout,
      stderr: running.stderr,
      exited,
      // A tree that forks while it is killed needs more than one look.
      kill: (signal = 'SIGTERM') => (signal === 'SIGKILL' ? running.terminate(0) : running.kill(signal)),
    };
  } catch (error) {
    outcome({ ended: 'failed', exitCode: null, durationMs: 0 });
    throw error;
  }
}

function observe(stream: Process['stdout'], seen: (chunk: Buffer) => void): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (chunk) seen(chunk);
    return push(chunk, encoding);
  };
}

/** A process whose time was over before it could be started. */
function overBefore(options: SpawnOptions, durationMs: number): Process {
  const { stdin, stdout, stderr, kill } = neverBegun(options.stdin === 'pipe');
  return {
    stdin,
    stdout,
    stderr,
    kill: (signal = 'SIGTERM') => kill(signal),
    exited: Promise.resolve({ ended: 'timed-out', exitCode: null, signal: null, durationMs }),
  };
}
