import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { PetasosError } from '@petasos/core/backend';
import { describeTarget, type SshTarget } from './target.js';

/** What the program said last, for the message when it fails. */
const keptWords = 2_000;

/** A stream to a server that may let this process end although it is open. */
export type Wire = Duplex & { ref(): unknown; unref(): unknown };

/**
 * The stream through the program of a ProxyCommand. It runs as ssh runs it, by the user's shell, but in a session of its own: an interrupt
 * that the terminal sends is meant for the remote command, and ssh's connection is not to end by it.
 */
export class ProxyCommand extends Duplex implements Wire {
  readonly #child: ChildProcess;
  readonly #target: SshTarget;
  #words = '';

  constructor(target: SshTarget, command: string) {
    super();
    this.#target = target;
    const child = spawn(process.env.SHELL || '/bin/sh', ['-c', `exec ${command}`], { stdio: 'pipe', detached: true });
    this.#child = child;
    child.stdout.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) child.stdout.pause();
    });
    child.stderr.setEncoding('utf8').on('data', (words: string) => {
      this.#words = (this.#words + words).slice(-keptWords);
    });
    // A program that has ended may not have read what was written; how it ended says more than the broken pipe.
    child.stdin.on('error', () => {});
    child.once('error', (error) => this.destroy(this.#failed('cannot be started', error)));
    child.once('close', (status, signal) =>
      this.destroy(this.#failed(signal === null ? `ended with status ${status}` : `ended by ${signal}`)),
    );
  }

  override _read(): void {
    this.#child.stdout?.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    const { stdin } = this.#child;
    if (stdin?.writable) stdin.write(bytes, () => done());
    else done();
  }

  override _final(done: () => void): void {
    this.#child.stdin?.end(() => done());
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const { pid, exitCode, signalCode } = this.#child;
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream?.destroy();
    if (pid !== undefined && exitCode === null && signalCode === null) {
      try {
        process.kill(-pid, 'SIGTERM');
      } catch {
        // It has ended in this moment.
      }
    }
    done(error);
  }

  ref(): this {
    return this.#each((handle) => handle.ref());
  }

  unref(): this {
    return this.#each((handle) => handle.unref());
  }

  #each(action: (handle: ChildProcess | Socket) => void): this {
    action(this.#child);
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) if (stream instanceof Socket) action(stream);
    return this;
  }

  #failed(how: string, cause?: Error): PetasosError {
    const last = this.#words.trimEnd().split('\n').at(-1) ?? '';
    return new PetasosError('unavailable', `the ProxyCommand to ${describeTarget(this.#target)} ${how}${last && `: ${last}`}`, {
      backend: 'ssh',
      operation: 'open',
      retryable: true,
      data: { host: this.#target.host, port: this.#target.port },
      remedy: `It stands in the ssh configuration; see whether "ssh ${this.#target.alias}" gets through.`,
      cause,
    });
  }
}
