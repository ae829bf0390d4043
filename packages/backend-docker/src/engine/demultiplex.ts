import { type Duplex, Readable } from 'node:stream';

const headerBytes = 8;
const stderrChannel = 2;

export interface Demultiplexed {
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/**
 * Takes apart the stream on which the engine sends both outputs of a process: frames of channel, three zeros and a length of four
 * bytes. When one output is not read, nothing more is taken from the engine.
 */
export function demultiplex(source: Duplex): Demultiplexed {
  const full = new Set<Readable>();
  const sink = () =>
    new Readable({
      highWaterMark: 256 * 1024,
      read() {
        if (full.delete(this) && full.size === 0) source.resume();
      },
      destroy(error, callback) {
        if (full.delete(this) && full.size === 0) source.resume();
        callback(error);
      },
    });
  const stdout = sink();
  const stderr = sink();
  const header = Buffer.alloc(headerBytes);
  let have = 0;
  let left = 0;
  let target = stdout;

  const take = (chunk: Buffer) => {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const part = Math.min(headerBytes - have, chunk.length - at);
        chunk.copy(header, have, at, at + part);
        have += part;
        at += part;
        if (have < headerBytes) break;
        have = 0;
        left = header.readUInt32BE(4);
        target = header[0] === stderrChannel ? stderr : stdout;
        continue;
      }
      const part = Math.min(left, chunk.length - at);
      if (!target.destroyed && !target.push(chunk.subarray(at, at + part))) full.add(target);
      at += part;
      left -= part;
    }
    if (full.size > 0) source.pause();
  };
  let over = false;
  const end = () => {
    if (over) return;
    over = true;
    for (const output of [stdout, stderr]) output.push(null);
  };
  source.on('data', take);
  source.once('end', end);
  source.once('close', end);
  source.once('error', end);
  return { stdout, stderr };
}
