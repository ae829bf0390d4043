import { beforeEach, expect, it } from 'vitest';
import { marker, nothingLeft, outcome, type Person, person, sees } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person({ asked: false });
});

async function detached(text: string, ...options: string[]): Promise<string> {
  const { status, stdout, stderr } = await me.run(['run', '--detach', ...options, '--', text]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^[A-Za-z0-9_-]+\n$/);
  return stdout.trim();
}

it('a job outlives the process that started it, and another one follows it to its end', async () => {
  const id = await detached('echo first; while [ ! -e go ]; do sleep 0.05; done; echo second; echo bad >&2; exit 5');
  const follower = me.start(['jobs', 'logs', '-f', id]);
  const all = outcome(follower);
  await sees(follower, 'first\n');
  expect((await me.run(['jobs', 'ls'])).stdout).toMatch(new RegExp(`^ID +STATE +AGE +COMMAND\n${id} +running +\\d+s +echo first; `));
  expect((await me.run(['run', '--', 'touch go'])).status).toBe(0);
  expect(await all).toMatchObject({ status: 0, stdout: 'first\nsecond\n', stderr: 'bad\n' });
  expect((await me.run(['jobs', 'wait', id])).status).toBe(5);
  expect((await me.run(['jobs', 'ls'])).stdout).toContain('exited 5');
});

it('logs without --follow print what there is, from the first byte', async () => {
  const id = await detached("printf 'a\\0b\\377'; sleep 60");
  await expect.poll(async () => (await me.run(['jobs', 'logs', id])).bytes.toString('latin1'), { timeout: 20_000 }).toBe('a\0b\xff');
  await me.run(['jobs', 'kill', id]);
});

it('a job starts where its caller is, with the variables it is given, and nothing on stdin', async () => {
  const id = await detached('pwd; echo "$A"; cat; echo over', '--env', 'A=1 2');
  expect((await me.run(['jobs', 'wait', id])).status).toBe(0);
  expect((await me.run(['jobs', 'logs', id])).stdout).toBe(`${me.work}\n1 2\nover\n`);
});

it('kill ends a job with all it started, even what ignores TERM', async () => {
  const mark = marker();
  const id = await detached('trap "" TERM; setsid sleep 300 & echo up; sleep 300', '-e', `MARK=${mark}`);
  await expect.poll(async () => (await me.run(['jobs', 'logs', id])).stdout, { timeout: 20_000 }).toBe('up\n');
  expect((await me.run(['jobs', 'kill', id])).status).toBe(0);
  await nothingLeft(mark);
  expect((await me.run(['jobs', 'wait', id])).status).toBeGreaterThan(128);
});

it('wait gives up when told to, and the job goes on', async () => {
  const id = await detached('sleep 300');
  const { status, stderr } = await me.run(['jobs', 'wait', '--timeout', '500ms', id]);
  expect({ status, stderr }).toEqual({ status: 124, stderr: `petasos: local: job ${id} still runs after 500ms; it goes on.\n` });
  await me.run(['jobs', 'kill', id]);
});

it('a timeout holds for jobs too', async () => {
  const mark = marker();
  const id = await detached('sleep 300', '--timeout', '1s', '-e', `MARK=${mark}`);
  expect((await me.run(['jobs', 'wait', '--timeout', '20s', id])).status).toBe(124);
  expect((await me.run(['jobs', 'ls'])).stdout).toContain(' timed-out ');
  await nothingLeft(mark);
});

it('prints JSON', async () => {
  const started = await me.run(['run', '--detach', '--json', '--', 'exit 3']);
  const { id, sandbox } = JSON.parse(started.stdout) as { id: string; sandbox: unknown };
  expect(sandbox).toEqual({ backend: 'local', name: 'default', id: expect.any(String) });
  const waited = await me.run(['jobs', 'wait', '--json', id]);
  expect(waited.status).toBe(3);
  const shape = {
    id,
    command: 'exit 3',
    state: 'exited',
    exitCode: 3,
    signal: null,
    pid: expect.any(Number),
    startedAt: expect.any(String),
    endedAt: expect.any(String),
  };
  expect(JSON.parse(waited.stdout)).toEqual(shape);
  expect(JSON.parse((await me.run(['jobs', 'ls', '--json'])).stdout)).toEqual({ backend: 'local', sandbox: 'default', jobs: [shape] });
});

it('looking for jobs makes no sandbox', async () => {
  expect(await me.run(['jobs', 'ls'])).toMatchObject({ status: 0, stdout: '', stderr: 'There are no jobs in default (local).\n' });
  expect(await me.run(['jobs', 'logs', 'x'])).toMatchObject({
    status: 1,
    stderr: 'petasos: local: there is no sandbox "default". petasos ls lists them; choose one with --sandbox and --name.\n',
  });
  expect((await me.run(['ls'])).stderr).toBe('There are no sandboxes.\n');
});

it('a job that does not exist, and options that cannot go together, are told', async () => {
  await me.run(['run', '--', 'true']);
  for (const command of ['logs', 'wait', 'kill']) {
    const { status, stderr } = await me.run(['jobs', command, 'nope']);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^petasos: local: there is no job nope /);
  }
  expect((await me.run(['run', '--detach', '--rm', '--', 'true'])).stderr).toBe('petasos: --rm would destroy what --detach started\n');
  expect((await me.run(['run', '--detach', '--idle-timeout', '5s', '--', 'true'])).status).toBe(2);
  expect((await me.run(['jobs', 'kill', '--signal', 'WHAT', 'x'])).stderr).toMatch(
    /^petasos: --signal: "WHAT" is not a signal that can be sent\. One of: TERM, KILL, /,
  );
});
