import { Readable } from 'node:stream';
import { type DriverFiles, isPetasosError, type PetasosError } from '../../contract/index.js';
import { FrameScanner } from '../frames.js';
import type { Operator } from '../operator.js';
import type { RunEnd } from '../runner.js';
import { jobScripts } from '../scripts/index.js';
import { readBulk } from './bulk.js';
import { readReport } from './records.js';

export interface HeldCommandSettings {
  readonly operator: Operator;
  readonly directory: string;
  readonly nonce: string;
  /** The place's own way of reading files, for much output. */
  readonly read: DriverFiles['read'] | undefined;
  /** What the streams' failure means: the place is gone, or only the way to it. */
  explain(error: PetasosError | undefined): Promise<'disconnected' | 'destroyed'>;
}

/** Bytes of each stream that one look brings at most; the first brings less where there is a better way for much. */
const lookBytes = 1024 * 1024;
const firstLookBytes = 128 * 1024;
/** So many answers of that length in a row are much. */
const answersBeforeFiles = 4;

export function bytesOfLook(read: DriverFiles['read'] | undefined): number {
  return read === undefined ? lookBytes : firstLookBytes;
}
/**
 * How long one look may wait for output, in hundredths of a second: longer for a command that has been silent, which saves requests and
 * delays nothing. Well below the patience of the place.
 */
const shortestLook = 200;
const longestLook = 800;
/** How often a place learns that a reader which is behind is still there. */
const beatMs = 5_000;

/**
 * Reads a command that runs as a held job: both streams by offset, until each has reported the end. No stream of the place's own is
 * trusted, so nothing is lost when one ends early.
 */
export class HeldCommand {
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<RunEnd>;
  /** Whether the place may have been asked to start it. */
  begun = false;
  /** The last signal that the caller sent. */
  sent: string | undefined;
  readonly #settings: HeldCommandSettings;
  #lookBytes: number;
  /** In a row. */
  #longAnswers = 0;
  #finish: (end: RunEnd) => void = () => {};
  #over = false;
  #report: string | undefined;
  #pending = 2;
  #beats = 0;
  #drained: (() => void)[] = [];

  constructor(settings: HeldCommandSettings) {
    this.#settings = settings;
    this.#lookBytes = bytesOfLook(settings.read);
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

  get over(): boolean {
    return this.#over;
  }

  /** Ends a command that has not begun as the signal would have ended it. */
  cancel(): void {
    this.#end({ ended: 'signaled', exitCode: null, signal: 'SIGKILL' });
  }

  /** Reads until the end, from what the start has brought. To be called once, when the job has started. */
  async follow(first: Buffer): Promise<void> {
    if (this.#over) return;
    const sides = [this.#side(this.stdout), this.#side(this.stderr)] as const;
    const offsets: [number, number] = [0, 0];
    let answer = first;
    let hundredths = shortestLook;
    try {
      for (;;) {
        const line = answer.indexOf(10);
        const [out = 0, err = 0, alive] = answer.toString('latin1', 0, line).split(' ').map(Number);
        sides[0].push(answer.subarray(line + 1, line + 1 + out));
        sides[1].push(answer.subarray(line + 1 + out, line + 1 + out + err));
        offsets[0] += out;
        offsets[1] += err;
        if (this.#pending === 0 || (alive === 0 && out + err === 0)) break;
        if (Math.max(out, err) >= firstLookBytes) await this.#catchUp([out, err], sides, offsets);
        else this.#longAnswers = 0;
        if (this.#over) return;
        if (this.#pending === 0) break;
        hundredths = out + err > 0 ? shortestLook : Math.min(hundredths * 2, longestLook);
        await this.#room();
        if (this.#over) return;
        const next = await this.#look(offsets, hundredths);
        if (this.#over) return;
        if (next === undefined) break;
        answer = next;
      }
      if (this.#report !== undefined) this.#end(this.#endOf(this.#report));
      else this.#end({ ended: await this.#settings.explain(undefined), exitCode: null, signal: null });
    } catch (error) {
      if (this.#over) return;
      this.#end({ ended: await this.#settings.explain(isPetasosError(error) ? error : undefined), exitCode: null, signal: null });
    }
  }

  /** A little more comes soonest with further looks; reading files takes several requests, and pays for much alone. */
  async #catchUp(came: readonly [number, number], sides: readonly [FrameScanner, FrameScanner], offsets: [number, number]): Promise<void> {
    this.#lookBytes = lookBytes;
    this.#longAnswers += 1;
    if (this.#longAnswers < answersBeforeFiles) return;
    for (const at of [0, 1] as const) if (came[at] >= firstLookBytes) offsets[at] += await this.#bulk(at, sides[at], offsets[at]);
  }

  /** Reads what is there by now. @returns how much it was; what is missing comes with the next look. */
  async #bulk(at: 0 | 1, side: FrameScanner, from: number): Promise<number> {
    const { operator, directory, read } = this.#settings;
    if (read === undefined) return 0;
    let bytes = 0;
    try {
      for await (const chunk of readBulk({ operator, directory, read }, at === 0 ? 'out' : 'err', from)) {
        side.push(chunk);
        bytes += chunk.length;
        await this.#room();
        if (this.#over) break;
      }
    } catch (error) {
      if (!isPetasosError(error, 'disconnected') || !error.retryable) throw error;
    }
    return bytes;
  }

  /** What is new; undefined when the place knows nothing of the command. */
  async #look([out, err]: readonly [number, number], hundredths: number): Promise<Buffer | undefined> {
    const { operator, directory } = this.#settings;
    this.#beats += 1;
    const args = [directory, String(out), String(err), String(this.#lookBytes), String(hundredths), String(this.#beats)];
    const { exitCode, stdout } = await operator.operate(jobScripts.poll, args);
    return exitCode === 0 ? stdout : undefined;
  }

  abandon(ended: 'disconnected' | 'destroyed'): void {
    this.#end({ ended, exitCode: null, signal: null });
  }

  #side(sink: Readable): FrameScanner {
    let open = true;
    const scanner = new FrameScanner({
      // What a left-over child writes after the end belongs to nobody.
      data: (chunk) => {
        if (open && !sink.destroyed) sink.push(chunk);
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
    const full = [this.stdout, this.stderr].some((stream) => !stream.destroyed && stream.readableLength > lookBytes);
    if (!full) return undefined;
    // The place ends a command whose reader is gone; this one only takes its time.
    const beating = setInterval(() => {
      this.#beats += 1;
      this.#settings.operator.operate('printf "%s\\n" "$2" >"$1/beat"', [this.#settings.directory, String(this.#beats)]).catch(() => {});
    }, beatMs);
    return new Promise<void>((resolve) => {
      this.#drained.push(resolve);
    }).finally(() => clearInterval(beating));
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
