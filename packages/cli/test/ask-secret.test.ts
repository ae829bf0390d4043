import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { readSecret } from '../src/session/ask-secret.js';

function terminal() {
  const raw: boolean[] = [];
  const input = Object.assign(new PassThrough(), { setRawMode: (on: boolean) => raw.push(on) });
  const output = new PassThrough();
  const shown: string[] = [];
  output.on('data', (chunk: Buffer) => shown.push(chunk.toString()));
  return { input, output, raw, text: () => shown.join('') };
}

it.each([
  ['a hat\r', 'a hat'],
  ['wrong\x15gräßlich\x7f\x7f\n', 'gräßli'],
  ['\r', ''],
  ['half\x03', undefined],
  ['\x04', undefined],
])('reads %j without showing it', async (keys, secret) => {
  const { input, output, raw, text } = terminal();
  const asked = readSecret(input, output, 'Passphrase: ');
  input.write(keys);
  expect(await asked).toBe(secret);
  expect(text()).toBe('Passphrase: \n');
  expect(raw).toEqual([true, false]);
});

it('takes the end of the terminal for no answer', async () => {
  const { input, output } = terminal();
  const asked = readSecret(input, output, 'Passphrase: ');
  input.end('half');
  expect(await asked).toBeUndefined();
});
