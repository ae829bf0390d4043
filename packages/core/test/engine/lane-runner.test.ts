import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Driver } from '../../src/contract/index.js';
import { LaneRunner } from '../../src/engine/lane/runner.js';
import { randomNonce } from '../../src/engine/random.js';

let directory: string;
let runner: LaneRunner;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'lane-runner-test-'));
  runner = new LaneRunner({ driver: driverIn(directory), nonce: randomNonce, graceMs: 2_000, silenceSeconds: 60 });
});

afterEach(async () => {
  await runner.close();
  await rm(directory, { recursive: true, force: true });
});

/** This machine, without anything that a lane does not need; one process at a time, so that every command gets the same lane. */
function driverIn(
  scratch: string,
  as: { readonly uid?: number; readonly gid?: number; readonly env?: { readonly PATH: string } | undefined } = {},
): Driver {
  return {
    ref: { backend: 'test', name: 'test', id: randomNonce(), data: {} },
    scratch,
    maxProcesses: 1,
    async spawn({ argv }) {
      const [program, ...args] = argv;
      const child = spawn(program, args, { ...as, detached: true, stdio: 'pipe' });
      return {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        exited: new Promise((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))),
        kill: () => void child.kill('SIGKILL'),
      };
    },
  } as Driver;
}

/** A zombie is none: whoever has adopted a process takes note of its end when it likes. */
function isAlive(pid: string): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', pid], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.startsWith('Z');
}

async function start(command: string, timeoutMs?: number) {
  const running = await runner.run({ program: { kind: 'command', text: command }, stdin: 'none', graceMs: 2_000, timeoutMs });
  running.stderr.resume();
  const stdout = text(running.stdout);
  return { running, result: async () => ({ stdout: await stdout, ...(await running.ended) }) };
}

describe.runIf(process.platform !== 'win32')('a lane that a background child holds', () => {
  it('leaves where there can be no other, so that the next command need not wait for the child', async () => {
    const first = await start('sleep 61 & echo $!');
    const { stdout: child } = await first.result();
    const second = await start('echo next');
    expect(await second.result()).toMatchObject({ stdout: 'next\n', exitCode: 0 });
    expect(isAlive(child.trim())).toBe(true);
    process.kill(Number(child), 'SIGKILL');
  });
});

describe.runIf(process.platform !== 'win32')('a runner that is closed', () => {
  it('says so to whoever waits for a lane, however often it is asked', async () => {
    const first = await start('sleep 1');
    const waiting = expect(start('echo never')).rejects.toMatchObject({ code: 'closed' });
    const closing = runner.close();
    await waiting;
    await expect(start('echo never')).rejects.toMatchObject({ code: 'closed' });
    await first.result();
    await closing;
  });
});

describe.runIf(process.platform !== 'win32')('a lane that goes from command to command', () => {
  const next = 'sleep 0.2; echo whole';
  const whole = { stdout: 'whole\n', ended: 'exited', exitCode: 0 };

  it('leaves the next command alone when the one before is ended after its end', async () => {
    const first = await start('true');
    await first.result();
    const second = await start(next);
    await Promise.all([first.running.terminate(0), first.running.kill('SIGKILL')]);
    expect(await second.result()).toMatchObject(whole);
  });

  it('leaves the next command alone when the one before ends while it is being ended', async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await start('echo ready; exec sleep 60');
      const terminated = first.running.terminate(2_000);
      await first.result();
      const second = await start(next);
      expect(await second.result()).toMatchObject(whole);
      await terminated;
    }
  });

  it('leaves the next command alone when a signal reaches the one before at its end', async () => {
    for (let round = 0; round < 5; round += 1) {
      const first = await start('sleep 0.02');
      setTimeout(() => void first.running.kill('SIGTERM'), 20 + round);
      await first.result();
      const second = await start(next);
      expect(await second.result()).toMatchObject(whole);
    }
  });

  it('ends what a command has left behind when asked to after its end', async () => {
    const first = await start('sleep 60 & echo $!');
    const { stdout } = await first.result();
    expect(isAlive(stdout.trim())).toBe(true);
    await first.running.terminate(0);
    expect(isAlive(stdout.trim())).toBe(false);
  });
});

describe.runIf(process.platform !== 'win32')('a command whose output nobody reads', () => {
  it.each([0, 300])('is ended in time with a grace of %i ms, and what it wrote before can still be read', async (graceMs) => {
    const running = await runner.run({
      program: { kind: 'command', text: 'trap "" TERM; echo first; while :; do echo unread; done' },
      stdin: 'none',
      graceMs,
    });
    running.stderr.resume();
    await expect.poll(() => running.stdout.readableLength, { timeout: 10_000 }).toBeGreaterThanOrEqual(256 * 1024);
    const began = performance.now();
    await running.terminate(graceMs);
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(await text(running.stdout)).toMatch(/^first\nunread\n/);
    expect((await running.ended).signal).toBe('SIGKILL');
  });
});

describe.runIf(process.platform !== 'win32')('a command that has taken a lane over', () => {
  /** What is said to each lane. */
  let inputs: Writable[];

  beforeEach(() => {
    inputs = [];
    const driver = driverIn(directory);
    const open: Driver = {
      ...driver,
      maxProcesses: undefined,
      async spawn(request) {
        const process = await driver.spawn(request);
        if (process.stdin) inputs.push(process.stdin);
        // As at a place that says so only when nobody holds the streams any more.
        const exited = process.exited.then(async (exit) => {
          await Promise.all([finished(process.stdout), process.stderr && finished(process.stderr)]);
          return exit;
        });
        return { ...process, exited };
      },
    };
    runner = new LaneRunner({ driver: open, nonce: randomNonce, graceMs: 2_000, silenceSeconds: 60 });
  });

  const take = async (command: string) => {
    const running = await runner.run({ program: { kind: 'command', text: command }, stdin: 'stream', graceMs: 2_000 });
    running.stderr.resume();
    return running;
  };

  /** One that pays no heed to the end of its input, and its pid. */
  const takeForLong = async () => {
    const [first] = (await once((await take('echo $$; exec sleep 61')).stdout, 'data')) as [Buffer];
    return first.toString().trim();
  };

  it.each(['true', 'sleep 61 & echo $!'])(
    'ends with its client although the lane that listened for it has left after: %s',
    async (command) => {
      const pid = await takeForLong();
      expect(inputs).toHaveLength(2);
      // So close to its deadline a lane does not serve again.
      const { stdout, exitCode } = await (await start(command, 900)).result();
      const child = stdout.trim();
      expect(exitCode).toBe(0);
      await expect.poll(() => inputs.length, { timeout: 10_000 }).toBe(3);
      // The third has the command's name before the client is lost.
      expect(await (await start('echo next')).result()).toMatchObject({ stdout: 'next\n' });
      for (const input of inputs) input.end();
      await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
      if (child !== '') process.kill(Number(child), 'SIGKILL');
    },
  );

  it('ends with its client although another command has taken over the lane that listened for it', async () => {
    const pids = [await takeForLong(), await takeForLong()];
    expect(inputs).toHaveLength(3);
    for (const input of inputs) input.end();
    for (const pid of pids) await expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
  });

  it('has its own input alone, whatever is said of one that was there before', async () => {
    const first = await take('sleep 61');
    const second = await take('cat');
    const output = text(second.stdout);
    await first.kill('SIGINT');
    await first.terminate(2_000);
    await first.ended;
    second.stdin?.end('mine\n');
    expect(await output).toBe('mine\n');
    expect((await second.ended).exitCode).toBe(0);
  });

  it('hears nothing of the end of its sandbox', async () => {
    const running = await take('cat');
    const output = text(running.stdout);
    await runner.close();
    expect(await output).toBe('');
  });
});

describe.runIf(process.platform !== 'win32').each([
  ['bash', undefined],
  ['sh', ['awk', 'cat', 'grep', 'id', 'mkdir', 'rm', 'setsid', 'sleep']],
])('a lane under %s that is slow to start its command', (_shell, programs) => {
  let go: string;
  let questions: number;
  let input: Writable | undefined;

  beforeEach(async () => {
    go = path.join(directory, 'go');
    questions = 0;
    const env = programs && { PATH: path.join(directory, 'bin') };
    if (env) await linkPrograms(programs, env.PATH);
    const driver = driverIn(directory, { env });
    const slow: Driver = {
      ...driver,
      async spawn(request) {
        const process = await driver.spawn(request);
        process.stdout.on('data', (bytes: Buffer) => {
          questions += [...bytes.toString('latin1').matchAll(/\x1e\w+ (?:running|over)\x1e/g)].length;
        });
        input = process.stdin;
        const stdin = new PassThrough();
        stdin.on('data', (bytes: Buffer) => {
          // No process waits: to a look from outside the runner has nothing to do.
          const held = bytes.toString().replace(/^(R \w+ [\d.]+) \d+\n/, `$1 0\nuntil [ -e '${go}' ]; do :; done; `);
          process.stdin?.write(held);
        });
        return { ...process, stdin };
      },
    };
    // A lane is asked every third of that.
    runner = new LaneRunner({ driver: slow, nonce: randomNonce, graceMs: 2_000, silenceSeconds: 3 });
  });

  it('is not taken for one that nobody reports for', async () => {
    const command = await start('sleep 1.5; echo whole');
    await expect.poll(() => questions, { timeout: 10_000 }).toBeGreaterThan(0);
    await writeFile(go, '');
    expect(await command.result()).toMatchObject({ stdout: 'whole\n', ended: 'exited', exitCode: 0 });
  });

  it('ends it when the client is lost meanwhile', async () => {
    const pid = path.join(directory, 'pid');
    await start(`echo $$ >'${pid}'; exec sleep 61`);
    await expect.poll(() => questions, { timeout: 10_000 }).toBeGreaterThan(0);
    input?.end();
    await writeFile(go, '');
    const found = () => readFile(pid, 'utf8').catch(() => '');
    await expect.poll(found, { timeout: 10_000 }).toMatch(/^\d+\n$/);
    const begun = (await found()).trim();
    await expect.poll(() => isAlive(begun), { timeout: 10_000 }).toBe(false);
  });

  it('reports the end of a command that has stopped whoever reports', async () => {
    await writeFile(go, '');
    const command = await start('kill -STOP $PPID');
    expect(await command.result()).toMatchObject({ ended: 'exited', exitCode: 0 });
  });
});

/** Only root can start a lane as one user and a process as another. */
describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a lane of an ordinary user', () => {
  const nobody = 65_534;
  const ordinary = { uid: nobody, gid: nobody };
  let lanes: number;
  /** Lanes that have ended. */
  let left: number;
  /** What a lane has said to the question whether a process still holds its streams. */
  let answers: string[];
  let foreign: ChildProcess | undefined;

  beforeEach(async () => {
    lanes = 0;
    left = 0;
    answers = [];
    await chmod(directory, 0o777);
    runner = counted(driverIn(directory, ordinary));
  });

  afterEach(() => {
    foreign?.kill('SIGKILL');
  });

  /** A runner whose lanes are counted and soon say that they are there, and so are asked often. */
  function counted(driver: Driver): LaneRunner {
    const counting: Driver = {
      ...driver,
      async spawn(request) {
        lanes += 1;
        const process = await driver.spawn(request);
        void process.exited.then(() => {
          left += 1;
        });
        process.stdout.on('data', (bytes: Buffer) => {
          for (const [, answer = ''] of bytes.toString().matchAll(/\x1e\w+ (held|free)\x1e/g)) answers.push(answer);
        });
        return process;
      },
    };
    return new LaneRunner({ driver: counting, nonce: randomNonce, graceMs: 2_000, silenceSeconds: 3 });
  }

  it('serves again although others of the machine start what they like meanwhile', async () => {
    const oneLane = async () => {
      const before = lanes;
      for (let round = 0; round < 2; round += 1) {
        const command = await start('sleep 0.2; echo whole');
        foreign?.kill('SIGKILL');
        foreign = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
        expect(await command.result()).toMatchObject({ stdout: 'whole\n', exitCode: 0 });
      }
      return lanes - before;
    };
    await oneLane();
    // An orphan that another user of a busy machine leaves to init just then may be a command's: it costs a lane, now and then.
    await expect.poll(oneLane, { timeout: 20_000 }).toBe(0);
  });

  it('serves again below a login shell that waits for it, once what a command has left behind has ended', async () => {
    const login = driverIn(directory, ordinary);
    const argv = ['sh', '-c', '"$@"; exit', 'login'] as const;
    runner = counted({ ...login, spawn: (request) => login.spawn({ ...request, argv: [...argv, ...request.argv] }) });
    expect(await (await start('sleep 1 & echo left')).result()).toMatchObject({ stdout: 'left\n', exitCode: 0 });
    await expect.poll(() => answers.at(-1), { timeout: 10_000 }).toBe('free');
    expect([(await (await start('echo next')).result()).stdout, lanes]).toEqual(['next\n', 1]);
  });

  describe.each([
    ['bash', undefined],
    ['sh', ['setsid', 'mkdir', 'id', 'rm', 'sleep']],
  ])('under %s', (_shell, programs) => {
    let hidden: string;

    beforeEach(async () => {
      const env = programs && { PATH: path.join(directory, 'bin') };
      if (env) await linkPrograms(programs, env.PATH);
      runner = counted(driverIn(directory, { ...ordinary, env }));
      // What sudo starts: a process that hides its descriptors. Without sudo's right to it, a copy that may be run and not be read does.
      hidden = path.join(directory, 'hidden');
      await copyFile('/bin/sleep', hidden);
      await chmod(hidden, 0o711);
    });

    afterEach(() => {
      spawnSync('pkill', ['-KILL', '-u', String(nobody), '-f', hidden]);
    });

    it('ends where somebody else in its session may hold its streams', async () => {
      expect(await (await start(`'${hidden}' 61 & echo left`)).result()).toMatchObject({ stdout: 'left\n', exitCode: 0 });
      expect(await (await start('echo next')).result()).toMatchObject({ stdout: 'next\n', exitCode: 0 });
      expect(lanes).toBe(2);
    });

    it('does not serve again while what held its streams openly holds them in secret', async () => {
      const gate = path.join(directory, 'gate');
      spawnSync('mkfifo', ['-m', '666', gate]);
      const first = await start(`{ read line <'${gate}'; exec '${hidden}' 61; } & echo left`);
      expect(await first.result()).toMatchObject({ stdout: 'left\n', exitCode: 0 });
      await writeFile(gate, 'go\n');
      await expect.poll(() => spawnSync('pgrep', ['-u', String(nobody), '-f', `^${hidden}`]).status).toBe(0);
      // Where an orphan of others could have been the command's as well, the lane has been given up at once.
      const before = answers.length;
      await expect.poll(() => answers.length > before + 2 || left > 0, { timeout: 10_000 }).toBe(true);
      expect(answers).not.toContain('free');
    });
  });
});

async function linkPrograms(names: readonly string[], into: string): Promise<void> {
  await mkdir(into);
  for (const name of names) {
    await symlink(spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim(), path.join(into, name));
  }
}
