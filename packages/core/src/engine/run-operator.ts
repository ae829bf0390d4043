import { PetasosError } from '../contract/index.js';
import type { OperationResult, Operator } from './operator.js';
import type { Runner } from './runner.js';

/** Operations as commands of a runner: for places where a warm lane makes them cheap. */
export function runOperator(runner: Runner, backend: string): Operator {
  return {
    async operate(script, args, input): Promise<OperationResult> {
      const running = await runner.run({
        program: { kind: 'script', text: script, args },
        stdin: input ?? 'none',
        graceMs: 2_000,
      });
      running.stderr.resume();
      const chunks: Buffer[] = [];
      for await (const chunk of running.stdout) chunks.push(chunk as Buffer);
      const end = await running.ended;
      if (end.ended === 'disconnected' || end.ended === 'destroyed') throw lostError(backend, end.ended);
      return { exitCode: end.exitCode, stdout: Buffer.concat(chunks) };
    },
  };
}

function lostError(backend: string, code: 'disconnected' | 'destroyed'): PetasosError {
  const what = code === 'destroyed' ? 'the sandbox is gone' : 'the connection was lost';
  return new PetasosError(code, `${what} while ${backend} was at work on it`, {
    backend,
    retryable: code === 'disconnected',
    remedy: code === 'destroyed' ? 'Open a new sandbox.' : 'Try again; the sandbox itself may still run.',
  });
}
