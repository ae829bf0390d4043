import type { OperationResult, Operator } from './operator.js';
import type { Runner } from './runner.js';

/** Operations as commands of a runner: for places where a warm lane makes them cheap. */
export function runOperator(runner: Runner): Operator {
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
      return { exitCode: end.exitCode, stdout: Buffer.concat(chunks) };
    },
  };
}
