import { describe, expect, test } from 'vitest';
import { InputLines } from '../../../src/approval/gate/input-lines.js';

function feed(kind: 'job' | 'terminal', ...chunks: (string | Uint8Array)[]) {
  const lines = new InputLines('bash', kind);
  return chunks.flatMap((chunk) => lines.push(chunk)).map((piece) => [piece.bytes.toString(), piece.text]);
}

describe('a job', () => {
  test('gets whole lines, judged before anything of them is sent', () => {
    expect(feed('job', 'rm -rf ')).toEqual([]);
    expect(feed('job', 'rm -rf ', '/\nls')).toEqual([['rm -rf /\n', 'rm -rf /\n']]);
    expect(feed('job', 'a\nb\nc')).toEqual([['a\nb\n', 'a\nb\n']]);
  });

  test('a line that goes on is judged with the next', () => {
    expect(feed('job', 'rm \\\n')).toEqual([]);
    expect(feed('job', 'rm \\\n', '-rf /\n')).toEqual([['rm \\\n-rf /\n', 'rm \\\n-rf /\n']]);
    expect(feed('job', 'echo \\\\\n')).toEqual([['echo \\\\\n', 'echo \\\\\n']]);
  });

  test('a character that is cut between chunks is whole', () => {
    const bytes = Buffer.from('echo é\n');
    expect(feed('job', bytes.subarray(0, 6), bytes.subarray(6))).toEqual([['echo é\n', 'echo é\n']]);
  });

  test('what is left at the end is judged too', () => {
    const lines = new InputLines('bash', 'job');
    lines.push('rm -rf /');
    expect(lines.end()).toEqual([{ bytes: Buffer.from('rm -rf /'), text: 'rm -rf /' }]);
    expect(lines.end()).toEqual([]);
  });
});

describe('a terminal', () => {
  test('gets keys at once, and Enter after the line was judged', () => {
    expect(feed('terminal', 'l', 's', '\r', 'x')).toEqual([
      ['l', undefined],
      ['s', undefined],
      ['\r', 'ls'],
      ['x', undefined],
    ]);
    expect(feed('terminal', 'ls\rpwd\r')).toEqual([
      ['ls', undefined],
      ['\r', 'ls'],
      ['pwd', undefined],
      ['\r', 'pwd'],
    ]);
  });

  test('what is no text comes out as it went in, and a character that is cut between chunks is whole', () => {
    const lines = new InputLines('bash', 'terminal');
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    expect(Buffer.concat(lines.push(all).map(({ bytes }) => bytes))).toEqual(all);
    const bytes = Buffer.from('echo é\r');
    expect(feed('terminal', bytes.subarray(0, 6), bytes.subarray(6)).at(-1)).toEqual(['\r', 'echo é']);
  });

  test.each([
    ['a word with a byte that looks like a space alone', 'rm à\u0017ls\r', 'rm ls'],
    ['corrections', 'rmm\u007f x\r', 'rm x'],
    ['a word taken back', 'rm -rf /\u0017x\r', 'rm -rf x'],
    ['a line taken back', 'rm -rf /\u0015ls\r', 'ls'],
    ['a line given up', 'rm -rf /\u0003ls\r', 'ls'],
    ['a character of two units', 'é😀\u007f\r', 'é'],
    ['completion', 'rm sr\t\r', 'rm sr$__petasos_unseen'],
    ['history', '\u001b[A\r', '$__petasos_unseen'],
    ['the cursor moved', 'rm x\u001b[D\u001bOHy\r', 'rm x$__petasos_unseen$__petasos_unseen' + 'y'],
    ['taking back what is not seen leaves it unknown', '\u001b[A\u007f\u007f\u0017\r', '$__petasos_unseen'],
  ])('%s', (_name, typed, text) => {
    expect(feed('terminal', typed).at(-1)).toEqual(['\r', text]);
  });
});

test('later lines are judged after those that were delivered, of which the newest 32 KiB are kept', () => {
  const lines = new InputLines('bash', 'job');
  expect(lines.reader).toEqual({ command: 'bash', earlier: '' });
  lines.delivered('cd /srv\n');
  lines.delivered('X=rm');
  expect(lines.reader.earlier).toBe('cd /srv\nX=rm\n');
  for (let count = 0; count < 5000; count += 1) lines.delivered(`echo ${count}\n`);
  expect(lines.reader.earlier.length).toBeLessThanOrEqual(32 * 1024);
  expect(lines.reader.earlier).toMatch(/^echo \d+\n/);
  expect(lines.reader.earlier).toMatch(/echo 4999\n$/);
});
