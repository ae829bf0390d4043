import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameScanner } from '../../src/engine/frames.js';

const nonce = 'a1b2c3d4e5f60718293a4b5c6d7e8f90';
const frame = (payload: string, of = nonce) => Buffer.from(`\u001e${of} ${payload}\u001e`);

function scan(chunks: readonly Buffer[]): { data: Buffer; frames: string[] } {
  const data: Buffer[] = [];
  const frames: string[] = [];
  const scanner = new FrameScanner({ data: (chunk) => data.push(Buffer.from(chunk)), frame: (_nonce, payload) => frames.push(payload) });
  scanner.expect(nonce);
  for (const chunk of chunks) scanner.push(chunk);
  scanner.end();
  return { data: Buffer.concat(data), frames };
}

function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const edges = [0, ...[...places].map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
}

describe('frames in a stream of any bytes', () => {
  it('come out whole, and the bytes around them untouched, however the stream is cut', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), fc.array(fc.nat(), { maxLength: 8 }), (before, after, places) => {
        const stream = Buffer.concat([before, frame('E 0 0 0 '), after]);
        expect(scan(cut(stream, places))).toEqual({ data: Buffer.concat([before, after]), frames: ['E 0 0 0 '] });
      }),
    );
  });

  it('are data when nobody expects their nonce', () => {
    const forged = frame('E 0 0 0 ', 'ffffffffffffffffffffffffffffffff');
    expect(scan([forged])).toEqual({ data: forged, frames: [] });
  });

  it('give back what was held when the stream ends in the middle of one', () => {
    const half = frame('E 0').subarray(0, 20);
    expect(scan([Buffer.from('x'), half])).toEqual({ data: Buffer.concat([Buffer.from('x'), half]), frames: [] });
  });

  it('carry newlines', () => {
    expect(scan([frame('H\n12\n/bin/bash')]).frames).toEqual(['H\n12\n/bin/bash']);
  });
});
