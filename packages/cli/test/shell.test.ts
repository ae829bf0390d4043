import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { outcome, type Person, person, sees } from './support/petasos.js';

let me: Person;
beforeEach(async () => {
  me = await person({ asked: false });
});

const lines = (...all: string[]) => me.run(['shell', '--plain'], { input: all.map((line) => `${line}\n`).join('') });

describe('shell --plain from a pipe', () => {
  it('keeps directory, variables and functions from line to line, and says nothing of its own', async () => {
    expect(await lines('pwd', 'cd /', 'X=5', 'f() { echo "f $1 $X"; }', 'pwd; f a')).toMatchObject({
      status: 0,
      stdout: `${me.work}\n/\nf a 5\n`,
      stderr: '',
    });
  });

  it.each([
    [['true', 'false'], 1],
    [['(exit 9)', ''], 9],
    [['false', 'exit'], 1],
    [['exit 4', 'echo never'], 4],
    [['false', 'true'], 0],
    [[], 0],
  ])('%j ends with %d', async (all, status) => {
    const ran = await lines(...all);
    expect(ran).toMatchObject({ status, stdout: '', stderr: '' });
  });

  it('a last line without a line feed counts, and so do CRLF lines', async () => {
    expect((await me.run(['shell', '--plain'], { input: 'X=1\r\necho "$X."' })).stdout).toBe('1.\n');
  });

  it('a line that runs too long ends alone', async () => {
    await writeFile(join(me.home, 'unused'), '');
    await me.run(['config', 'set', 'terminal.timeout', '1']);
    const { status, stdout, stderr } = await lines('X=kept', 'sleep 60', 'echo "$? $X"');
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/kept\n$/) });
    expect(stderr).toContain('petasos: local: timed out after 1s; everything the command had started was ended.\n');
  });

  it('a signal ends the line and the session', async () => {
    const child = me.start(['shell', '--plain']);
    child.stdin?.write('echo ready; sleep 60\necho never\n');
    await sees(child, 'ready');
    const ended = outcome(child);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ status: 143, stdout: '' });
  });
});

it('shell without a terminal says what to use instead', async () => {
  expect(await me.run(['shell'])).toMatchObject({
    status: 2,
    stderr: 'petasos: shell needs a terminal on stdin and stdout. Use petasos shell --plain, or petasos run.\n',
  });
});
