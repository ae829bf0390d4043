import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { execLine } from '../../src/engine/command-line.js';

const run = promisify(execFile);

it('replaces the shell by the words, whatever characters they hold', async () => {
  const words = ['a b', "it's", '$HOME `id` $(id)', 'two\nlines\n', '-n', '', '*', '\\n\\', '"', '!x', 'ü\u{1f3a9}'] as const;
  const line = execLine(['printf', '%s\\0', ...words]);
  expect(line).not.toContain('\n');
  const { stdout } = await run('/bin/sh', ['-c', line]);
  expect(stdout.split('\0').slice(0, -1)).toEqual(words);
});

it('sets variables and the directory first', async () => {
  const line = execLine(['/bin/sh', '-c', 'pwd; printf %s "$WORD"'], { env: { WORD: "two\nlines' $X" }, cwd: '/tmp' });
  expect((await run('/bin/sh', ['-c', line])).stdout).toBe("/tmp\ntwo\nlines' $X");
});

it('starts nothing in a directory that cannot be entered', async () => {
  const failed = await run('/bin/sh', ['-c', execLine(['echo', 'ran'], { cwd: '/there/is/none' })]).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 126, stdout: '' });
});
