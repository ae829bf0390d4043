import type { Readable } from 'node:stream';
import { Capture, type Captured, type SpillDirectory } from '../engine/capture.js';
import type { CapturedOutput } from './types.js';

/** Reads a stream to its end into a capture, at the pace of the disk and of nobody else. */
export function collect(stream: Readable, capture: Capture, onChunk: (chunk: Buffer) => void): Promise<Captured> {
  return new Promise((resolve, reject) => {
    let pending = Promise.resolve();
    stream.on('data', (chunk: Buffer) => {
      onChunk(chunk);
      const busy = capture.push(chunk);
      if (!busy) return;
      stream.pause();
      pending = busy.then(() => {
        stream.resume();
      });
    });
    stream.once('end', () => {
      pending.then(() => capture.finish()).then(resolve, reject);
    });
    stream.once('error', reject);
  });
}

export function describeOutput(captured: Captured): CapturedOutput {
  let text: string | undefined;
  return {
    bytes: captured.bytes,
    get text() {
      text ??= render(captured);
      return text;
    },
    totalBytes: captured.totalBytes,
    cutBytes: captured.cutBytes,
    spillPath: captured.spillPath,
    spillError: captured.spillError,
  };
}

function render(captured: Captured): string {
  const decode = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (captured.cutBytes === 0) return decode(captured.bytes);
  const where = captured.spillPath ? `; all ${captured.totalBytes} bytes are in ${captured.spillPath}` : '';
  return `${decode(captured.head)}\n[… ${captured.cutBytes} bytes left out${where} …]\n${decode(captured.tail)}`;
}

/** A capture with the facade's defaults: 1 MiB, and the handle's own directory for what is longer. */
export function newCapture(
  name: string,
  options: { readonly maxOutputBytes?: number | undefined; readonly spillDirectory?: string | undefined },
  spills: SpillDirectory,
): Capture {
  const chosen = options.spillDirectory;
  return new Capture(options.maxOutputBytes ?? 1024 * 1024, name, chosen === undefined ? () => spills.path() : async () => chosen);
}
