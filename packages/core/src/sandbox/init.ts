import { PetasosError } from '../contract/index.js';
import type { SandboxCore } from './core.js';
import { admitted, readyIn } from './exec.js';
import type { OpenOptions, Sandbox } from './types.js';

/**
 * Runs the steps that make a new sandbox ready.
 * @throws `init-failed` naming the step.
 */
export async function runInit(
  core: SandboxCore,
  sandbox: Sandbox,
  init: NonNullable<OpenOptions['init']>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const file of init.files ?? []) {
    await step(core, `write ${file.path}`, () => sandbox.files.write(file.path, file.content, { mode: file.mode }));
  }
  for (const [index, command] of (init.commands ?? []).entries()) {
    const name = `command ${index + 1} of ${init.commands?.length}`;
    const { result } = await step(core, name, () =>
      admitted(core, 'init', command, { signal }, readyIn(core, undefined), async () => ({ kind: 'command', text: command })),
    );
    if (result.ended === 'exited' && result.exitCode === 0) continue;
    const how = result.exitCode === null ? result.ended : `exit status ${result.exitCode}`;
    throw failure(core, name, `${how}${lastLine(result.stderr)}`, undefined);
  }
}

async function step<Result>(core: SandboxCore, name: string, action: () => Promise<Result>): Promise<Result> {
  try {
    return await action();
  } catch (cause) {
    throw failure(core, name, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function failure(core: SandboxCore, step: string, why: string, cause: unknown): PetasosError {
  return new PetasosError(
    'init-failed',
    `preparing the sandbox ${core.driver.ref.name} of ${core.backend.name} failed at ${step}: ${why}`,
    {
      backend: core.backend.name,
      operation: 'open',
      data: { step },
      remedy: 'Correct the step; the sandbox was removed.',
      cause,
    },
  );
}

function lastLine(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : ` (${line.slice(0, 200)})`;
}
