import { Readable } from 'node:stream';
import type { ExecOptions } from '../../../src/sandbox/types.js';
import { type Animal, breakExec } from '../animal.js';

async function bytesOf(stdin: NonNullable<ExecOptions['stdin']>): Promise<readonly Buffer[]> {
  if (typeof stdin === 'string') return [Buffer.from(stdin)];
  if (stdin instanceof Uint8Array) return [Buffer.from(stdin)];
  return (await stdin.toArray()) as Buffer[];
}

export const stdinAnimals: readonly Animal[] = [
  {
    name: 'keeps stdin open',
    caughtBy: 'E2.none',
    breakIt: breakExec((sandbox, command, options) =>
      sandbox.exec(command, options.stdin === undefined ? { ...options, stdin: new Readable({ read() {} }) } : options),
    ),
  },
  {
    name: 'loses the last chunk of stdin',
    caughtBy: 'E2.stream',
    breakIt: breakExec(async (sandbox, command, options) => {
      if (options.stdin === undefined) return sandbox.exec(command, options);
      const chunks = await bytesOf(options.stdin);
      return sandbox.exec(command, { ...options, stdin: Buffer.concat(chunks.slice(0, Math.max(1, chunks.length - 1))) });
    }),
  },
  {
    name: 'adds a newline to stdin',
    caughtBy: 'E2.exact',
    breakIt: breakExec(async (sandbox, command, options) => {
      if (options.stdin === undefined) return sandbox.exec(command, options);
      return sandbox.exec(command, { ...options, stdin: Buffer.concat([...(await bytesOf(options.stdin)), Buffer.from('\n')]) });
    }),
  },
  {
    name: 'sends stdin as text',
    caughtBy: 'E2.bytes',
    breakIt: breakExec(async (sandbox, command, options) => {
      if (options.stdin === undefined) return sandbox.exec(command, options);
      return sandbox.exec(command, { ...options, stdin: Buffer.concat([...(await bytesOf(options.stdin))]).toString() });
    }),
  },
];
