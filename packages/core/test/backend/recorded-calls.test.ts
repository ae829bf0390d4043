import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CallResult, processOfCall, RecordedCalls } from '../../src/backend.js';

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-calls-'));
});

afterEach(() => rm(directory, { recursive: true, force: true }));

function here(argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<CallResult> {
  const [program = '', ...args] = argv;
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env }, timeout: 20_000 }, (error, output) =>
      resolve({ exitCode: error ? Number(error.code) : 0, output }),
    );
  });
}

/** `lose(n)`: whether the answer to the nth request is lost, and when. */
function calls(lose: (request: number) => 'before' | 'after' | 'midway' | undefined) {
  const sent: string[][] = [];
  const recorded = new RecordedCalls({
    backend: 'cloud',
    sandbox: 'one',
    directory: path.join(directory, 'records'),
    judge: (error) => ({ retry: !String(error).includes('final'), reason: 'lost', afterMs: 0 }),
    async send(argv, env) {
      sent.push([...argv]);
      const fate = lose(sent.length);
      if (fate === 'before') throw new Error('502 before');
      const result = here(argv, env);
      if (fate !== 'midway') await result;
      else await new Promise((resolve) => setTimeout(resolve, 100));
      if (fate) throw new Error(`502 ${fate}`);
      return result;
    },
  });
  return { recorded, sent };
}

const count = ['/bin/sh', '-c', 'echo ran >>"$1"; echo "output $VALUE"; echo error >&2; exit 3', 'count'] as const;
const runs = async () => (await readFile(path.join(directory, 'count'), 'utf8')).split('\n').length - 1;

it.each(['before', 'after', 'midway'] as const)(
  'a command whose answer is lost %s it ran, runs once, and its result arrives',
  async (fate) => {
    const { recorded, sent } = calls((request) => (request === 1 ? fate : undefined));
    const result = await recorded.run([...count, path.join(directory, 'count')], { VALUE: 'v' });
    expect(result).toEqual({ exitCode: 3, output: 'output v\nerror\n' });
    expect(sent).toHaveLength(2);
    expect(await runs()).toBe(1);
  },
);

it('a command that takes longer than a request is waited for', async () => {
  const { recorded, sent } = calls((request) => (request === 1 ? 'midway' : undefined));
  const result = await recorded.run(['/bin/sh', '-c', 'sleep 1; echo done']);
  expect(result).toEqual({ exitCode: 0, output: 'done\n' });
  expect(sent).toHaveLength(2);
});

it('a command that is slow to start is waited for, and not told as lost', async () => {
  const { recorded, sent } = calls((request) => (request === 1 ? 'midway' : undefined));
  const slow = path.join(directory, 'slow');
  await mkdir(slow);
  await writeFile(path.join(slow, 'setsid'), '#!/bin/sh\nsleep 1\nexec "$@"\n', { mode: 0o755 });
  const result = await recorded.run([...count, path.join(directory, 'count')], { VALUE: 'v', PATH: `${slow}:${process.env.PATH}` });
  expect(result).toEqual({ exitCode: 3, output: 'output v\nerror\n' });
  expect(sent).toHaveLength(2);
  expect(await runs()).toBe(1);
});

it('a command that was killed before it had a status is told as lost, and not run again', async () => {
  const { recorded } = calls((request) => (request === 1 ? 'after' : undefined));
  const killer = 'echo ran >>"$1"; kill -KILL $PPID; sleep 0.1';
  await expect(recorded.run(['/bin/sh', '-c', killer, 'killer', path.join(directory, 'count')])).rejects.toMatchObject({
    code: 'disconnected',
  });
  expect(await runs()).toBe(1);
});

it('a command starts with every signal as it was', async () => {
  const { recorded } = calls(() => undefined);
  expect(await recorded.run(['/bin/sh', '-c', 'trap "echo interrupted" INT; kill -INT $$'])).toEqual({
    exitCode: 0,
    output: 'interrupted\n',
  });
});

it('what has arrived is forgotten by the next request, and by the end', async () => {
  const { recorded } = calls(() => undefined);
  for (let i = 0; i < 5; i++) await recorded.run(['/bin/echo', String(i)]);
  expect(await readdir(path.join(directory, 'records'))).toHaveLength(1);
  await recorded.close();
  expect(await readdir(path.join(directory, 'records'))).toEqual([]);
});

it('a failure that repeating does not mend is thrown', async () => {
  const recorded = new RecordedCalls({
    backend: 'cloud',
    sandbox: 'one',
    judge: () => ({ retry: false }),
    send: async () => {
      throw new Error('no such sandbox');
    },
  });
  const process = processOfCall(recorded.run(['/bin/true']));
  await expect(process.exited).rejects.toThrow('no such sandbox');
  expect(process.stdout.destroyed).toBe(true);
});
