import { afterEach, expect, it, vi } from 'vitest';
import { streamLost, wholeLines } from '../src/lines.js';

afterEach(() => vi.useRealTimers());

function source(pieces: readonly string[], end: 'close' | 'error' | 'silent'): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece, 'latin1'));
      if (end === 'close') controller.close();
    },
    pull(controller) {
      if (end === 'error') controller.error(new TypeError('terminated'));
      return end === 'silent' ? new Promise(() => {}) : undefined;
    },
  });
}

async function all(stream: ReadableStream<Uint8Array>): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of stream as unknown as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk).toString());
  return chunks;
}

it('hands on whole lines, whatever pieces they come in', async () => {
  const text = Buffer.from('{"data":"grüße"}\n{"data":"日本"}\n').toString('latin1');
  expect(await all(wholeLines(source([...text], 'close')))).toEqual(['{"data":"grüße"}\n', '{"data":"日本"}\n']);
});

it.each([
  ['breaks', 'error'],
  ['ends within a line', 'close'],
] as const)('a stream that %s ends in an error line, after every whole one', async (_, end) => {
  const chunks = (await all(wholeLines(source(['one\ntw'], end)))).join('').split('\n');
  expect(chunks[0]).toBe('one');
  expect(JSON.parse(chunks[1] ?? '')).toMatchObject({ stream: 'error', data: { code: streamLost } });
  expect(chunks.slice(2)).toEqual(['']);
});

it('a stream that is silent for two minutes is given up', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const reading = all(wholeLines(source(['one\n'], 'silent')));
  await vi.advanceTimersByTimeAsync(119_000);
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await reading).join('')).toContain('silent for 120 s');
});
