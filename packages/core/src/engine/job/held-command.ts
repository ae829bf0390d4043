import { Readable } from 'node:stream';
import { isPetasosError, type PetasosError } from '../../contract/index.js';
import { FrameScanner } from '../frames.js';
import type { Operator } from '../operator.js';
import type { RunEnd } from '../runner.js';
import { jobScripts } from '../scripts/index.js';
import { readReport } from './records.js';

export interface HeldCommandSettings {
  readonly operator: Operator;
  readonly directory: string;
  readonly nonce: string;
  /** What the streams' failure means: the place is gone, or only the way to it. */
  explain(error: PetasosError | undefined): Promise<'disconnected' | 'destroyed'>;
}

const pollBytes = 512 * 1024;
/** How long one look may wait for output, in hundredths of a second; also what a slow link saves in requests. */
const pollHundredths = 200;

/**
 * Reads a command that runs as a held job: both streams by offset, until each has reported the end. No stream of the place's own is
 * trusted, so nothing is lost when one ends early.
 */
export class HeldCommand {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<RunEnd>;
  /** The last signal that the caller sent. */
  sent: string | undefined;
  readonly #settings: HeldCommandSettings;
  #finish: (end: RunEnd) => void = () => {};
  #over = false;
  #report: string | undefined;
  #pending = 2;
  #drained: (() => void)[] = [];

  constructor(settings: HeldCommandSettings) {
    this.#settings = settings;
    const read = () => {
      for (const resume of this.#drained.splice(0)) resume();
    };
    // A reader that has left for good holds nothing back any more.
    const destroy = (error: Error | null, done: (error: Error | null) => void) => {
      read();
      done(error);
    };
    this.stdout = new Readable({ read, destroy });
    this.stderr = new Readable({ read, destroy });
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
  }

  /** Reads until the end. To be called once, when the job has started. */
  async follow(): Promise<void> {
    const sides = [this.#side(this.stdout), this.#side(this.stderr)] as const;
    const offsets: [number, number] = [0, 0];
    let beat = 0;
    try {
      while (!this.#over && this.#pending > 0) {
        beat += 1;
        const args = [
          this.#settings.directory,
          String(offsets[0]),
          String(offsets[1]),
          String(pollBytes),
          String(pollHundredths),
          String(beat),
        ];
        const { exitCode, stdout } = await this.#settings.operator.operate(jobScripts.poll, args);
        if (this.#over) return;
        if (exitCode !== 0) break;
        const line = stdout.indexOf(10);
        const [out = 0, err = 0, alive] = stdout.toString('latin1', 0, line).split(' ').map(Number);
        sides[0].push(stdout.subarray(line + 1, line + 1 + out));
        sides[1].push(stdout.subarray(line + 1 + out, line + 1 + out + err));
        offsets[0] += out;
        offsets[1] += err;
        if (alive === 0 && out + err === 0) break;
        await this.#room();
      }
      if (this.#report !== undefined) this.#end(this.#endOf(this.#report));
      else this.#end({ ended: await this.#settings.explain(undefined), exitCode: null, signal: null });
    } catch (error) {
      if (this.#over) return;
      this.#end({ ended: await this.#settings.explain(isPetasosError(error) ? error : undefined), exitCode: null, signal: null });
    }
  }

  abandon(ended: 'disconnected' | 'destroyed'): void {
    this.#end({ ended, exitCode: null, signal: null });
  }

  #side(sink: Readable): FrameScanner {
    let open = true;
    const scanner = new FrameScanner({
      // What a left-over child writes after the end belongs to nobody.
      data: (chunk) => {
        if (open && !sink.destroyed) sink.push(Buffer.from(chunk));
      },
      frame: (_nonce, payload) => {
        open = false;
        this.#report = payload;
        this.#pending -= 1;
      },
    });
    scanner.expect(this.#settings.nonce);
    return scanner;
  }

  /** A reader that is behind holds back the next look, and so, in the place, the command. */
  #room(): Promise<void> | undefined {
    const full = [this.stdout, this.stderr].some((stream) => !stream.destroyed && stream.readableLength > pollBytes);
    if (!full) return undefined;
    return new Promise((resolve) => {
      this.#drained.push(resolve);
    });
  }

  #endOf(report: string): RunEnd {
    return { ...readReport(report, this.sent), note: report.split(' ').slice(4).join(' ') };
  }

  #end(end: RunEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.stdout.push(null);
    this.stderr.push(null);
    for (const resume of this.#drained.splice(0)) resume();
    this.#finish(end);
  }
}
