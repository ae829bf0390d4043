import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { eventually, mainModule, marker, nothingLeft, outcome, type Person, person, sees, survivors } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person({ asked: false });
});

describe('the exit status', () => {
  it.each([
    ['exit 7', 7],
    ['true', 0],
    ['no-such-program-anywhere', 127],
    ['exit 124', 124],
    ['kill -TERM $$', 143],
    ['kill -KILL $$', 137],
  ])('of %j is %d', async (text, status) => {
    expect((await me.run(['run', '--', text])).status).toBe(status);
  });
});

describe('output and input', () => {
  it('a NUL goes through both ways', async () => {
    const { stdout, stderr, status } = await me.run(['run', '--', 'od -c'], { input: 'a\0b' });
    expect({ stdout, stderr, status }).toEqual({ stdout: '0000000   a  \\0   b\n0000003\n', stderr: '', status: 0 });
  });

  it('every byte comes back as it was, and the streams stay apart', async () => {
    const input = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 256));
    const { bytes, stderr } = await me.run(['run', '--', 'cat; printf "to stderr" >&2'], { input });
    expect(bytes.equals(input)).toBe(true);
    expect(stderr).toBe('to stderr');
  });

  it('a command without input reads an end of file', async () => {
    expect((await me.run(['run', '--', 'cat; echo over'])).stdout).toBe('over\n');
    expect((await me.run(['run', '--', 'cat; echo over'], { input: '' })).stdout).toBe('over\n');
  });

  it('a stdin that is closed counts as none', async () => {
    const child = spawn('bash', ['-c', '"$0" "$1" run -- "cat; echo over" <&-', process.execPath, mainModule()], {
      env: me.env,
      cwd: me.work,
    });
    expect(await outcome(child)).toMatchObject({ status: 0, stdout: 'over\n', stderr: '' });
  });

  it('a file as stdin is read whole', async () => {
    const file = join(me.home, 'input');
    await writeFile(file, 'x'.repeat(300_000));
    const child = spawn('bash', ['-c', '"$0" "$1" run -- "wc -c" < "$2"', process.execPath, mainModule(), file], {
      env: me.env,
      cwd: me.work,
    });
    expect((await outcome(child)).stdout.trim()).toBe('300000');
  });

  it('input that the command does not want is no error', async () => {
    const { status, stdout, stderr } = await me.run(['run', '--', 'echo done'], { input: Buffer.alloc(4_000_000, 'x') });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'done\n', stderr: '' });
  });

  it('output appears while the command runs', async () => {
    const child = me.start(['run', '--', 'echo first; read line; echo "got $line"']);
    await sees(child, 'first\n');
    const rest = outcome(child);
    child.stdin?.end('second\n');
    expect((await rest).stdout).toBe('got second\n');
  });

  it('a slow reader slows the command down instead of filling the memory', async () => {
    const child = me.start(['run', '--', 'head -c 200000000 /dev/zero']);
    await once(child.stdout ?? child, 'readable');
    const file = `/proc/${child.pid}/statm`;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const residentMiB = (Number((await readFile(file, 'utf8')).split(' ')[1]) * 4096) / 1_048_576;
    expect(residentMiB).toBeLessThan(150);
    expect((await outcome(child)).bytes.length).toBe(200_000_000);
  });

  it.each([['yes'], ['while echo line; do :; done']])('a reader that has had enough ends %j without a word', async (text) => {
    const mark = marker();
    const pipeline = `"$0" "$1" run -e MARK=${mark} -- '${text}' | head -1; echo "\${PIPESTATUS[0]}"`;
    const child = spawn('bash', ['-c', pipeline, process.execPath, mainModule()], { env: me.env, cwd: me.work });
    const { stdout, stderr } = await outcome(child);
    expect(stderr).toBe('');
    expect(stdout.split('\n')[1]).toBe('141');
    await nothingLeft(mark);
  });
});

describe('words', () => {
  it('one is shell text, several are kept apart', async () => {
    expect((await me.run(['run', '--', 'echo $((1+1)) | tr 2 3'])).stdout).toBe('3\n');
    expect((await me.run(['run', '--', 'printf', '%s|', 'a b', '$HOME', "it's", ''])).stdout).toBe("a b|$HOME|it's||");
  });

  it('options after the command belong to it', async () => {
    expect((await me.run(['run', 'echo', '--json', '--', '-n'])).stdout).toBe('--json -- -n\n');
  });

  it('none is a usage error', async () => {
    expect(await me.run(['run', '--'])).toMatchObject({
      status: 2,
      stdout: '',
      stderr: 'petasos: no command given. Write it after --, such as: petasos run -- npm test\n',
    });
  });
});

describe('where and with what', () => {
  it('commands start in the directory of the caller, each time', async () => {
    const other = join(me.home, "o'ther dir");
    await mkdir(other);
    expect((await me.run(['run', '--', 'pwd'])).stdout).toBe(`${me.work}\n`);
    expect((await me.run(['run', '--', 'pwd'], { cwd: other })).stdout).toBe(`${other}\n`);
    expect((await me.run(['run', '--cwd', other, '--', 'pwd'])).stdout).toBe(`${other}\n`);
  });

  it('a directory that is missing is told, and nothing runs', async () => {
    const { status, stdout, stderr } = await me.run(['run', '--cwd', '/no/such/place', '--', 'echo ran']);
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' });
    expect(stderr).toMatch(/^petasos: local: .*\/no\/such\/place.*\n$/);
  });

  it('variables are set and passed on by name, and nothing else of the environment goes along', async () => {
    const env = { PASSED: 'line 1\nline 2', HIDDEN: 'x' };
    const { stdout } = await me.run(['run', '--env', 'A=b c', '-e', 'PASSED', '--', 'printf "%s|%s|%s" "$A" "$PASSED" "$HIDDEN"'], { env });
    expect(stdout).toBe('b c|line 1\nline 2|');
  });

  it('what the configuration forwards goes along', async () => {
    await me.run(['config', 'set', 'terminal.env_passthrough', 'WANTED']);
    expect((await me.run(['run', '--', 'echo "$WANTED"'], { env: { WANTED: 'here' } })).stdout).toBe('here\n');
  });

  it('a backend that is not installed names the command that installs it', async () => {
    const { status, stderr } = await me.run(['run', '--sandbox', 'docker', '--', 'true']);
    expect({ status, stderr }).toEqual({
      status: 125,
      stderr: 'petasos: the backend docker is not installed. Install it: npm install --global @petasos/backend-docker\n',
    });
  });

  it('--rm leaves no sandbox, otherwise the default one is used again', async () => {
    await me.run(['run', '--rm', '--', 'true']);
    expect((await me.run(['ls'])).stderr).toBe('There are no sandboxes.\n');
    await me.run(['run', '--', 'true']);
    await me.run(['run', '--', 'true']);
    expect((await me.run(['ls'])).stdout.trim().split('\n')).toHaveLength(2);
  });
});

describe('limits', () => {
  it('a timeout gives what there was, says so, and leaves nothing', async () => {
    const mark = marker();
    const { status, stdout, stderr } = await me.run([
      'run',
      '-e',
      `MARK=${mark}`,
      '--timeout',
      '1s',
      '--',
      'echo part; setsid sleep 60 & sleep 60',
    ]);
    expect({ status, stdout, stderr }).toEqual({
      status: 124,
      stdout: 'part\n',
      stderr: 'petasos: local: timed out after 1s; everything the command had started was ended.\n',
    });
    await nothingLeft(mark);
  });

  it('so does silence', async () => {
    const { status, stderr } = await me.run(['run', '--idle-timeout', '700ms', '--', 'echo part; sleep 60']);
    expect({ status, stderr }).toEqual({
      status: 124,
      stderr: 'petasos: local: no output for 700ms; everything the command had started was ended.\n',
    });
  });

  it("the configuration's timeout holds, and the option is stronger", async () => {
    await me.run(['config', 'set', 'terminal.timeout', '1']);
    expect((await me.run(['run', '--', 'sleep 60'])).status).toBe(124);
    expect((await me.run(['run', '--timeout', '30s', '--', 'sleep 1.5; echo done'])).stdout).toBe('done\n');
  });
});

describe('signals', () => {
  it('the first Ctrl-C goes to the command, which may do with it what it likes', async () => {
    const child = me.start(['run', '--', 'trap "echo caught; exit 9" INT; echo ready; while :; do sleep 0.1; done']);
    await sees(child, 'ready');
    const ended = outcome(child);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 9, stdout: 'caught\n', stderr: '' });
  });

  it('a command that does nothing about it ends with 130', async () => {
    const mark = marker();
    const child = me.start(['run', '-e', `MARK=${mark}`, '--', 'echo ready; sleep 60']);
    await sees(child, 'ready');
    const ended = outcome(child);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ status: 130, stderr: '' });
    await nothingLeft(mark);
  });

  it('the second one kills a command that ignores the first', async () => {
    const mark = marker();
    const child = me.start(['run', '-e', `MARK=${mark}`, '--', 'trap "echo ignored" INT TERM; echo ready; while :; do sleep 0.1; done']);
    await sees(child, 'ready');
    child.kill('SIGINT');
    await sees(child, 'ignored');
    const ended = outcome(child);
    child.kill('SIGINT');
    expect((await ended).status).toBe(137);
    await nothingLeft(mark);
  });

  it('SIGTERM is handed on too', async () => {
    const child = me.start(['run', '--', 'echo ready; sleep 60']);
    await sees(child, 'ready');
    const ended = outcome(child);
    child.kill('SIGTERM');
    expect((await ended).status).toBe(143);
  });

  it('a client that is killed leaves nothing running', async () => {
    const mark = marker();
    const child = me.start(['run', '-e', `MARK=${mark}`, '--', 'echo ready; sleep 60']);
    await sees(child, 'ready');
    expect(await survivors(mark)).not.toEqual([]);
    child.kill('SIGKILL');
    await nothingLeft(mark);
  });
});

describe('--json', () => {
  it('is one object with everything', async () => {
    const { status, stdout, stderr } = await me.run(['run', '--json', '--', 'echo out; printf err >&2; exit 3']);
    expect({ status, stderr }).toEqual({ status: 3, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      ended: 'exited',
      exitCode: 3,
      signal: null,
      exitStatus: 3,
      durationMs: expect.any(Number),
      stdout: { text: 'out\n', totalBytes: 4, cutBytes: 0 },
      stderr: { text: 'err', totalBytes: 3, cutBytes: 0 },
      sandbox: { backend: 'local', name: 'default', id: expect.any(String) },
    });
  });

  it('carries bytes that are no text', async () => {
    const { stdout } = await me.run(['run', '--json', '--', "printf '\\377\\0'"]);
    expect(JSON.parse(stdout)).toMatchObject({ stdout: { base64: '/wA=', totalBytes: 2 } });
  });

  it('tells timeouts and errors as JSON', async () => {
    const timedOut = await me.run(['run', '--json', '--timeout', '1s', '--', 'echo part; sleep 60']);
    expect(timedOut).toMatchObject({ status: 124, stderr: '' });
    expect(JSON.parse(timedOut.stdout)).toMatchObject({ ended: 'timed-out', exitCode: null, exitStatus: 124, stdout: { text: 'part\n' } });
    const failed = await me.run(['run', '--json', '--cwd', '/no/such/place', '--', 'true']);
    expect(failed).toMatchObject({ status: 125, stderr: '' });
    expect(JSON.parse(failed.stdout)).toMatchObject({ error: { code: 'cwd-not-found', backend: 'local' }, exitStatus: 125 });
    const wrong = await me.run(['run', '--json', '--frob', '--', 'true']);
    expect(JSON.parse(wrong.stdout)).toEqual({
      error: { code: 'usage', message: 'unknown option --frob', remedy: 'See --help.' },
      exitStatus: 2,
    });
  });
});

it('what a command leaves in the background goes on, and does not hold the caller', async () => {
  const mark = marker();
  const { status, stdout } = await me.run(['run', '-e', `MARK=${mark}`, '--', 'sleep 300 & echo started']);
  expect({ status, stdout }).toEqual({ status: 0, stdout: 'started\n' });
  expect(await eventually('the child lives', async () => (await survivors(mark)).length > 0)).toBe(true);
});
