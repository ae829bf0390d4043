import type { Progress } from '../../contract/index.js';
import type { TransferResult } from '../types.js';

const intervalMs = 100;

/** Counts what a transfer moves and tells the caller now and then. */
export class Tally {
  files = 0;
  directories = 0;
  symlinks = 0;
  bytes = 0;
  readonly skipped: string[] = [];
  #last = 0;

  constructor(
    private readonly step: 'upload' | 'download',
    private readonly report: ((event: Progress) => void) | undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#last = now();
  }

  moved(bytes: number): void {
    this.bytes += bytes;
    if (this.report === undefined) return;
    const now = this.now();
    if (now - this.#last < intervalMs) return;
    this.#last = now;
    this.#tell();
  }

  finish(): TransferResult {
    this.#tell();
    const { files, directories, symlinks, bytes, skipped } = this;
    return { files, directories, symlinks, bytes, skipped };
  }

  #tell(): void {
    this.report?.({ step: this.step, done: this.bytes, unit: 'bytes' });
    this.report?.({ step: this.step, done: this.files + this.directories + this.symlinks, unit: 'items' });
  }
}
