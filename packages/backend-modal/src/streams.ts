import { Readable, Writable } from 'node:stream';
import type { ReadableStream, WritableStream } from 'node:stream/web';

/** Bytes of one request to a process's input. The SDK's own streams send pieces of this size. */
const pieceBytes = 256 * 1024;
/** Bytes that a writer may be ahead of what the process has taken. */
const aheadBytes = 1024 * 1024;
/** Bytes that are kept ready for a reader. */
const readyBytes = 64 * 1024;

/** The output of a process. Nothing is asked for that nobody reads. */
export function readable(source: ReadableStream<Uint8Array>): Readable {
  const reader = source.getReader();
  return new Readable({
    highWaterMark: readyBytes,
    read() {
      reader.read().then(
        ({ done, value }) => this.push(done ? null : Buffer.from(value.buffer, value.byteOffset, value.byteLength)),
        (error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))),
      );
    },
    destroy(error, done) {
      reader.cancel().catch(() => {});
      done(error);
    },
  });
}

/** The input of a process. What is written while a request is on its way goes together in the next. */
export function writable(target: WritableStream<Uint8Array>): Writable {
  const writer = target.getWriter();
  // It rejects when a write has failed, which that write tells too.
  writer.closed.catch(() => {});
  const send = async (bytes: Buffer): Promise<void> => {
    for (let at = 0; at < bytes.length; at += pieceBytes) await writer.write(bytes.subarray(at, at + pieceBytes));
  };
  const settle = (work: Promise<void>, done: (error?: Error | null) => void) => {
    work.then(
      () => done(),
      (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
    );
  };
  return new Writable({
    highWaterMark: aheadBytes,
    write(chunk: Buffer, _encoding, done) {
      settle(send(chunk), done);
    },
    writev(chunks, done) {
      settle(send(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))), done);
    },
    final(done) {
      // The end of file at the offset that has been reached: the SDK's closeStdin would send it at offset 0, and hide that it failed.
      settle(writer.close(), done);
    },
    destroy(error, done) {
      // Whoever walks away ends the input as well: a process that waits for more would wait for ever.
      if (!this.writableFinished) writer.close().catch(() => {});
      done(error);
    },
  });
}
