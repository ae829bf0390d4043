import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import local from '../../../../backend-local/src/index.js';
import { PetasosError } from '../../../src/contract/errors.js';
import type { Gate, GateOperation, GateRequest } from '../../../src/contract/gate.js';
import { open } from '../../../src/sandbox/index.js';
import type { Sandbox } from '../../../src/sandbox/types.js';

let directory: string;
let canary: string;
let seen: GateRequest[];
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'petasos-ways-'));
  canary = path.join(directory, 'canary');
  seen = [];
});
afterEach(() => rm(directory, { recursive: true }));

/** Refuses whatever holds the name of the canary, in its text or its input. */
const gate: Gate = {
  async admit(request) {
    seen.push(request);
    if (`${request.command}${request.stdin?.text ?? ''}`.includes(canary)) throw new PetasosError('not-approved', 'refused');
    return { ended() {} };
  },
};

const sandboxWith = (options: Parameters<typeof open>[1] = {}) => open(local, { gate, workdir: directory, ...options });

/** Every way in which a command text can be handed to a sandbox. */
const ways: Readonly<Record<string, { readonly operation: GateOperation; run(sandbox: Sandbox, text: string): Promise<unknown> }>> = {
  exec: { operation: 'exec', run: (sandbox, text) => sandbox.exec(text) },
  'exec, text as input': { operation: 'exec', run: (sandbox, text) => sandbox.exec('sh', { stdin: `${text}\n` }) },
  'exec, bytes as input': { operation: 'exec', run: (sandbox, text) => sandbox.exec('sh', { stdin: Buffer.from(text) }) },
  spawn: { operation: 'spawn', run: (sandbox, text) => sandbox.spawn(text) },
  'shell.exec': { operation: 'shell', run: (sandbox, text) => sandbox.shell().exec(text) },
  'shell.exec, text as input': { operation: 'shell', run: (sandbox, text) => sandbox.shell().exec('sh', { stdin: text }) },
  'jobs.start': { operation: 'job', run: (sandbox, text) => sandbox.jobs.start(text) },
  'jobs.write': {
    operation: 'job-input',
    run: async (sandbox, text) => {
      const job = await sandbox.jobs.start('sh', { stdin: 'open' });
      await sandbox.jobs.write(job.id, `${text}\n`);
    },
  },
  'jobs.write in pieces': {
    operation: 'job-input',
    run: async (sandbox, text) => {
      const job = await sandbox.jobs.start('sh', { stdin: 'open' });
      await sandbox.jobs.write(job.id, text.slice(0, 5));
      await sandbox.jobs.write(job.id, `${text.slice(5)}\n`);
    },
  },
  'jobs.write without a last newline': {
    operation: 'job-input',
    run: async (sandbox, text) => {
      const job = await sandbox.jobs.start('sh', { stdin: 'open' });
      await sandbox.jobs.write(job.id, text);
      await sandbox.jobs.closeInput(job.id);
    },
  },
  terminal: { operation: 'terminal', run: (sandbox, text) => sandbox.terminal({ command: text }) },
  init: { operation: 'init', run: (_sandbox, text) => sandboxWith({ init: { commands: [text] } }) },
};

describe('nothing reaches the place without the gate', () => {
  test.each(Object.entries(ways))('%s', async (_name, { operation, run }) => {
    await using sandbox = await sandboxWith();
    const error: unknown = await run(sandbox, `touch '${canary}'`).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(PetasosError);
    const codes = [error, error instanceof Error ? error.cause : undefined].map((one) =>
      one instanceof PetasosError ? one.code : undefined,
    );
    expect(codes).toContain('not-approved');
    expect(seen.map((request) => request.operation)).toContain(operation);
    // What a command that was let through would do in no time.
    await sandbox.exec('true');
    await delay(100);
    expect(existsSync(canary)).toBe(false);
  });

  test('what is typed into a terminal', async () => {
    await using sandbox = await sandboxWith();
    const terminal = await sandbox.terminal({ command: 'sh' });
    let screen = '';
    terminal.output.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    terminal.input.write(`touch '${canary}'\r`);
    const deadline = Date.now() + 20_000;
    while (!screen.includes('refused') && Date.now() < deadline) await delay(20);
    terminal.input.write('echo over""there\r');
    while (!screen.includes('overthere') && Date.now() < deadline) await delay(20);
    terminal.kill();
    expect(screen).toContain('refused');
    expect(screen).toContain('overthere');
    expect(existsSync(canary)).toBe(false);
  });

  test('a stream is announced before anything of it is known', async () => {
    await using sandbox = await sandboxWith();
    const process = await sandbox.spawn('cat', { stdin: 'pipe' });
    process.stdin?.end();
    process.stdout.resume();
    process.stderr.resume();
    await process.exited;
    expect(seen.at(-1)).toMatchObject({ operation: 'spawn', command: 'cat', stdin: { text: undefined } });
  });

  test('variables and the directory are told', async () => {
    await using sandbox = await sandboxWith();
    await sandbox.exec('true', { env: { A: '1' }, cwd: '/' });
    expect(seen.at(-1)).toMatchObject({ operation: 'exec', command: 'true', env: { A: '1' }, cwd: '/' });
  });
});

/** What can be called and read, on the object and on its class. */
function membersOf(value: object): string[] {
  const prototype: unknown = Object.getPrototypeOf(value);
  const inherited = prototype === Object.prototype || prototype === null ? [] : Object.getOwnPropertyNames(prototype);
  return [...Object.keys(value), ...inherited].filter((name) => name !== 'constructor').sort();
}

test('a new way into a sandbox has to be added to this test', async () => {
  await using sandbox = await sandboxWith();
  const carryText = ['exec', 'spawn', 'shell', 'jobs', 'terminal'];
  const carryNone = [
    'id',
    'name',
    'backend',
    'ref',
    'capabilities',
    'origin',
    'files',
    'placement',
    'pause',
    'resume',
    'snapshot',
    'forward',
    'extend',
    'close',
    'destroy',
  ];
  expect(membersOf(sandbox)).toEqual([...carryText, ...carryNone].sort());
  expect(membersOf(sandbox.jobs)).toEqual(['closeInput', 'get', 'kill', 'list', 'output', 'remove', 'start', 'wait', 'write']);
  expect(membersOf(sandbox.shell())).toEqual(['close', 'exec', 'name']);
});

test('a sandbox that was opened without a gate has one all the same', async () => {
  await using sandbox = await open(local, { workdir: directory });
  expect((await sandbox.exec('echo fine')).stdout).toBe('fine\n');
  await expect(sandbox.exec('git push --force')).rejects.toMatchObject({ code: 'not-approved' });
});
