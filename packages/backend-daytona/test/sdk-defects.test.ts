import { Daytona, type DaytonaConfig, type Sandbox as SdkSandbox } from '@daytona/sdk';
import type { Sandbox } from '@petasos/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createCalls } from '../src/calls.js';
import { type Emulator, openSandbox, startEmulator } from './place.js';

const execute = 'POST /toolbox/.*/process/execute';
const eventually = { timeout: 10_000 };

let emulator: Emulator;
let sandbox: Sandbox;
/** The same sandbox as the bare SDK has it: each hazard is shown before it is shown to do no harm. */
let bare: SdkSandbox;

beforeAll(async () => {
  emulator = await startEmulator();
  sandbox = await openSandbox(emulator);
  bare = await new Daytona(access()).get(sandbox.id);
  await bare.process.createSession('bare');
});

afterEach(async () => {
  await emulator.clearFaults();
  await emulator.setKnobs({ exitRecords: true });
});

afterAll(async () => {
  await sandbox.destroy();
  await emulator.close();
});

function access(): DaytonaConfig {
  const { DAYTONA_API_URL: apiUrl = '', DAYTONA_API_KEY: apiKey = '' } = emulator.env;
  return { apiUrl, apiKey, target: 'us', useDeprecatedPolling: true };
}

let sessions = 0;

async function inSession(command: string): Promise<{ readonly session: string; readonly id: string }> {
  const session = `bare-${++sessions}`;
  await bare.process.createSession(session);
  const { cmdId = '' } = await bare.process.executeSessionCommand(session, { command, runAsync: true });
  return { session, id: cmdId };
}

async function followed(session: string, id: string): Promise<string> {
  let text = '';
  const add = (chunk: string) => {
    text += chunk;
  };
  await bare.process.getSessionCommandLogs(session, id, add, add);
  return text;
}

describe('log streams', () => {
  it('an abnormal close looks like the end of the output', async () => {
    const { session, id } = await inSession('for i in 1 2 3 4 5 6 7 8; do echo line $i; done; sleep 1; echo last');
    await emulator.fault({ on: 'GET .*/logs$', fault: { kind: 'cut-stream', afterBytes: 20, how: 'reset' } });
    expect(await followed(session, id)).not.toContain('last');
    await emulator.fault({ on: execute, fault: { kind: 'reset', when: 'after' }, skip: 1, times: 2 });
    expect((await sandbox.exec('for i in 1 2 3 4 5 6 7 8; do echo line $i; done; sleep 1; echo last')).stdout).toMatch(
      /^line 1\n[\s\S]*line 8\nlast\n$/,
    );
  });

  it('a stream closes early while the command runs, and replays what it has sent', async () => {
    const early = await inSession('echo first; sleep 1; echo second');
    await emulator.fault({ on: 'GET .*/logs$', fault: { kind: 'own', name: 'early-close' } });
    expect(await followed(early.session, early.id)).toBe('first\n');
    const replayed = await inSession('head -c 3000 /dev/zero | tr "\\0" x; echo');
    await expect.poll(async () => (await bare.process.getSessionCommand(replayed.session, replayed.id)).exitCode, eventually).toBe(0);
    await emulator.fault({ on: 'GET .*/logs$', fault: { kind: 'own', name: 'replay' } });
    expect((await followed(replayed.session, replayed.id)).length).toBeGreaterThan(3001);
    expect((await sandbox.exec('head -c 3000 /dev/zero | tr "\\0" x; sleep 1; echo')).stdout).toBe(`${'x'.repeat(3000)}\n`);
  });

  it('a frame of 125 KB overflows the stack', async () => {
    const { session, id } = await inSession('head -c 200000 /dev/zero | tr "\\0" x; echo');
    await expect.poll(async () => (await bare.process.getSessionCommand(session, id)).exitCode, eventually).toBe(0);
    expect((await sandbox.exec('head -c 1000000 /dev/zero | tr "\\0" x', { maxOutputBytes: 2_000_000 })).stdout.length).toBe(1_000_000);
  });

  it('output that holds the stream markers is swallowed', async () => {
    const { session, id } = await inSession("printf 'a\\001\\001\\001b\\002\\002\\002c\\n'");
    await expect.poll(async () => (await bare.process.getSessionCommand(session, id)).exitCode, eventually).toBe(0);
    expect(await followed(session, id)).toBe('abc\n');
    const { stdout, stderr } = await sandbox.exec("printf 'a\\001\\001\\001b\\002\\002\\002c'");
    expect([stdout, stderr]).toEqual(['a\u0001\u0001\u0001b\u0002\u0002\u0002c', '']);
  });

  it('a stream with one callback crashes the process at the first byte of stderr', async () => {
    const { stdout, stderr, exitCode } = await sandbox.exec('echo error >&2', { onStdout: () => {} });
    expect([stdout, stderr, exitCode]).toEqual(['', 'error\n', 0]);
  });

  it('bytes that are not UTF-8 are damaged', async () => {
    const { output } = await sandbox.exec("printf '\\377\\376\\200\\000z'");
    expect([...output.stdout.bytes]).toEqual([0xff, 0xfe, 0x80, 0, 'z'.charCodeAt(0)]);
  });
});

describe('sessions', () => {
  it.each(['exit 3', 'set -e; false', 'exec true'])(
    '%j ends the shell of the session, and the exit code never appears',
    async (command) => {
      const { session, id } = await inSession(command);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect((await bare.process.getSessionCommand(session, id)).exitCode).toBeUndefined();
      const expected = command === 'exit 3' ? 3 : command === 'exec true' ? 0 : 1;
      expect((await sandbox.exec(command)).exitCode).toBe(expected);
      expect((await sandbox.exec('echo alive')).stdout).toBe('alive\n');
    },
  );

  it('NUL bytes vanish and a last line gains a newline', async () => {
    const { session, id } = await inSession("printf 'a\\000b'");
    await expect.poll(async () => (await bare.process.getSessionCommandLogs(session, id)).stdout, eventually).toBe('ab\n');
    expect((await sandbox.exec("printf 'a\\000b'")).stdout).toBe('a\0b');
  });

  it('an asynchronous command waits for input for ever', async () => {
    const { session, id } = await inSession('cat; echo read');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await bare.process.getSessionCommand(session, id)).exitCode).toBeUndefined();
    expect((await sandbox.exec('cat; echo read')).stdout).toBe('read\n');
    await bare.process.deleteSession(session);
  });

  it('a record carries no exit code', async () => {
    await emulator.setKnobs({ exitRecords: false });
    const { session, id } = await inSession('echo done');
    await expect.poll(async () => (await bare.process.getSessionCommandLogs(session, id)).stdout, eventually).toBe('done\n');
    expect((await bare.process.getSessionCommand(session, id)).exitCode).toBeUndefined();
    expect((await sandbox.exec('echo done; exit 5')).exitCode).toBe(5);
  });

  it('deleting a session ends everything that was started in it', async () => {
    const { session } = await inSession('setsid nohup sleep 4711 >/dev/null 2>&1 & echo started');
    const count = async () =>
      (await sandbox.exec("cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -o 'sleep 471[1]' | wc -l")).stdout.trim();
    await expect.poll(count, eventually).toBe('1');
    await bare.process.deleteSession(session);
    await expect.poll(count, eventually).toBe('0');
    const job = await sandbox.jobs.start('sleep 30');
    expect((await sandbox.jobs.get(job.id)).state).toBe('running');
    await sandbox.jobs.kill(job.id, 'SIGKILL');
  });

  it('a session has neither a working directory nor variables', async () => {
    expect((await sandbox.exec('echo "$PWD $V"', { cwd: '/tmp', env: { V: 'value' } })).stdout).toBe('/tmp value\n');
  });

  it('after a restart a session accepts commands and runs none', async () => {
    await emulator.act('stop', sandbox.id);
    expect((await sandbox.exec('cat <<EOF\nheredoc\nEOF')).stdout).toBe('heredoc\n');
  });
});

describe('executeCommand', () => {
  it('a 429 and a 5xx are not repeated', async () => {
    for (const status of [429, 502, 503]) {
      await emulator.fault({ on: execute, fault: { kind: 'status', status } });
      await expect(bare.process.executeCommand('true')).rejects.toMatchObject({ statusCode: status });
      await emulator.fault({ on: execute, fault: { kind: 'status', status } });
      expect((await sandbox.exec('echo fine')).stdout).toBe('fine\n');
    }
  });

  it('both streams come back as one', async () => {
    expect((await bare.process.executeCommand('echo out; echo err >&2')).result).toBe('out\nerr\n');
    const { stdout, stderr } = await sandbox.exec('echo out; echo err >&2');
    expect([stdout, stderr]).toEqual(['out\n', 'err\n']);
  });

  it('a missing directory is exit code -1', async () => {
    expect((await bare.process.executeCommand('true', '/nowhere')).exitCode).toBe(-1);
    await expect(sandbox.exec('true', { cwd: '/nowhere' })).rejects.toMatchObject({ code: 'cwd-not-found' });
  });

  it('it cannot be aborted', async () => {
    const started = performance.now();
    const result = await sandbox.exec('sleep 60', { signal: AbortSignal.timeout(300), graceMs: 200 });
    expect(result.ended).toBe('aborted');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('a request that is never answered waits for a day', async () => {
    await emulator.fault({ on: execute, fault: { kind: 'stall' } });
    // Only a client that has a limit for every request hands on the one for this request.
    const calls = createCalls(await new Daytona({ ...access(), requestTimeoutMs: 30_000 }).get(sandbox.id), 'bare', 1);
    // The SDK adds five seconds of its own to what it is told.
    expect((await calls.run(['/bin/echo', 'answered'])).output).toBe('answered\n');
    await calls.close();
  });

  it('a command that takes longer than its request is asked for again, and runs once', async () => {
    const calls = createCalls(bare, 'bare', 1);
    const counted = 'echo ran >>/tmp/long; sleep 2.5; echo done';
    expect((await calls.run(['/bin/sh', '-c', counted])).output).toBe('done\n');
    expect(await sandbox.files.readText('/tmp/long')).toBe('ran\n');
    await calls.close();
  });
});

describe('downloads', () => {
  const connections = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
  const size = 8 * 1024 * 1024;

  it('a stream that is left early keeps its connection open for ever', async () => {
    const path = '/tmp/large';
    await sandbox.exec(`head -c ${size} /dev/zero >${path}`);
    const before = connections();
    const left = await bare.fs.downloadFileStream(path);
    for await (const _ of left) break;
    left.destroy();
    expect(left.closed).toBe(true);
    expect(connections()).toBe(before + 1);

    const middle = await sandbox.files.read(path, { offset: 1024 * 1024, length: 2 * 1024 * 1024 });
    expect(middle.length).toBe(2 * 1024 * 1024);
    for await (const _ of await sandbox.files.readStream(path)) break;
    expect((await sandbox.files.read(path)).length).toBe(size);
    await expect.poll(connections, eventually).toBe(before + 1);
  });
});

it('a WebSocket that is refused rejects with an event that is no error', async () => {
  await emulator.fault({ on: 'GET .*/process/pty', fault: { kind: 'status', status: 502 }, times: 9 });
  await expect(sandbox.terminal()).rejects.toMatchObject({ name: 'PetasosError', backend: 'daytona', operation: 'terminal' });
});

it('creating changes the parameters that it is given', async () => {
  const labels = { mine: 'yes' };
  const params = { labels };
  const made = await new Daytona(access()).create(params);
  expect(Object.keys(labels)).toContain('code-toolbox-language');
  await made.delete(60, true);
  expect(Object.keys(sandbox.ref)).not.toContain('code-toolbox-language');
});
