import { PetasosError, type SandboxState, withRetries } from '@petasos/core/backend';
import type { Sandbox } from './client.js';
import { asPetasosError, isMissing, judge } from './errors.js';

/** Seconds that a start may take; one from the archive copies the disk back. */
const startSeconds = 180;
const stopSeconds = 60;
const lookMs = 200;

export function sandboxState(state: string | undefined): SandboxState {
  switch (state) {
    case 'destroyed':
    case 'destroying':
      return 'gone';
    case 'stopped':
    case 'stopping':
    case 'archived':
    case 'archiving':
    case 'error':
    case 'build_failed':
      return 'stopped';
    case 'paused':
    case 'pausing':
      return 'paused';
    default:
      return 'running';
  }
}

export interface StateSettings {
  readonly sandbox: Sandbox;
  readonly name: string;
  readonly operation: string;
  readonly signal?: AbortSignal | undefined;
}

/** Starts the sandbox if need be, from whatever state it is in, and waits for it. */
export async function ensureStarted({ sandbox, name, operation, signal }: StateSettings): Promise<void> {
  const retried = <T>(work: () => Promise<T>) => withRetries(work, { backend: 'daytona', operation, judge, signal });
  try {
    for (;;) {
      await retried(() => sandbox.refreshData());
      switch (sandbox.state) {
        case 'started':
          return;
        case 'stopped':
        case 'archived':
        case 'paused':
          // Another client may be starting it at this moment: then the state says so at the next look.
          await retried(() => sandbox.start(startSeconds)).catch((error: unknown) => {
            if (!isConflict(error)) throw error;
          });
          break;
        case 'error':
        case 'build_failed':
          throw new PetasosError(
            'place-failed',
            `the sandbox ${name} of daytona has failed: ${sandbox.errorReason ?? 'no reason is given'}`,
            {
              backend: 'daytona',
              operation,
              remedy: 'Destroy it and open a new one.',
            },
          );
        case 'destroyed':
        case 'destroying':
          throw gone(name, operation);
        default:
          await new Promise((resolve) => setTimeout(resolve, lookMs));
      }
      if (signal?.aborted) throw new PetasosError('aborted', `starting ${name} of daytona was aborted`, { backend: 'daytona', operation });
    }
  } catch (error) {
    throw isMissing(error) ? gone(name, operation) : asPetasosError(error, { operation, sandbox: name });
  }
}

export async function ensureStopped({ sandbox, name, operation, signal }: StateSettings): Promise<void> {
  try {
    await withRetries(() => sandbox.stop(stopSeconds), { backend: 'daytona', operation, judge, signal }).catch(async (error: unknown) => {
      if (!isConflict(error)) throw error;
      await sandbox.refreshData();
      if (sandboxState(sandbox.state) === 'running') throw error;
    });
  } catch (error) {
    throw asPetasosError(error, { operation, sandbox: name });
  }
}

function isConflict(error: unknown): boolean {
  return (error as { statusCode?: unknown } | null)?.statusCode === 409;
}

function gone(name: string, operation: string): PetasosError {
  return new PetasosError('destroyed', `the sandbox ${name} of daytona does not exist any more`, {
    backend: 'daytona',
    operation,
    remedy: 'Open a new one.',
  });
}
