import { Readable, Writable } from 'node:stream';
import type { DriverExit, DriverProcess, PetasosError } from '@petasos/core/backend';
import type { ClientChannel } from 'ssh2';
import type { Line } from './line.js';

/**
 * A channel as a process. The streams are ours and not the channel's: they end for good when the connection is lost, and closing the
 * input does not close the output.
 */
export function channelProcess(channel: ClientChannel, line: Line, onClosed: () => void): DriverProcess & { readonly stdin: Writable } {
  const stdin = new ChannelInput(channel);
  const stdout = new ChannelOutput(channel);
  const stderr = new ChannelOutput(channel.stderr);
  const exited = new Promise<DriverExit>((resolve, reject) => {
    channel.once('exit', (code: number | null, signal?: string) => resolve({ exitCode: code ?? null, signal }));
    const end = (error: PetasosError | undefined) => {
      forget();
      onClosed();
      stdin.broken();
      for (const stream of [stdout, stderr]) stream.finish();
      if (error) reject(error);
      else resolve({ exitCode: null });
    };
    const forget = line.onLost(end);
    channel.once('close', () => end(line.lost));
  });
  exited.catch(() => {});
  return {
    stdin,
    stdout,
    stderr,
    exited,
    kill() {
      channel.close();
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

/** One direction of a channel, with its backpressure. */
class ChannelOutput extends Readable {
  readonly #source: Readable;
  #finished = false;

  constructor(source: Readable) {
    super({ highWaterMark: 256 * 1024 });
    this.#source = source;
    source.on('data', (chunk: Buffer) => {
      if (!this.#finished && !this.push(chunk)) source.pause();
    });
    source.on('end', () => this.finish());
    source.on('error', () => this.finish());
  }

  /** Nothing more comes. What has arrived and waits for its reader stays. */
  finish(): void {
    if (this.#finished) return;
    // A reader that is behind holds back the source, not what the source has already received: each read is an event.
    while (this.#source.read() !== null);
    this.#finished = true;
    this.push(null);
  }

  override _read(): void {
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    // The window of a channel is shared: what nobody reads must not hold up the other stream.
    this.#finished = true;
    this.#source.resume();
    callback(error);
  }
}

class ChannelInput extends Writable {
  readonly #channel: ClientChannel;
  #waiting: ((error?: Error | null) => void) | undefined;
  #broken = false;

  constructor(channel: ClientChannel) {
    super({ highWaterMark: 64 * 1024 });
    this.#channel = channel;
    this.on('error', () => {});
  }

  /** The other side reads no more. The channel says nothing to writers that wait. */
  broken(): void {
    this.#broken = true;
    this.#settle(new Error('the process reads no more'));
  }

  #settle(error?: Error | null): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(error);
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, callback: (error?: Error | null) => void): void {
    this.#waiting = callback;
    if (this.#broken) this.broken();
    else this.#channel.write(chunk, () => this.#settle());
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#channel.end();
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#channel.end();
    callback(error);
  }
}
