import type { Fault } from './faults.js';

export type StreamFault = Extract<Fault, { kind: 'cut-stream' | 'split-stream' }>;

/** What spoils one streamed answer. */
export class StreamSpoiler {
  readonly #fault: StreamFault | undefined;
  #sent = 0;

  constructor(fault: Fault | undefined) {
    this.#fault = fault?.kind === 'cut-stream' || fault?.kind === 'split-stream' ? fault : undefined;
  }

  /** The pieces in which `chunk` goes out, and what becomes of the stream behind them. */
  pass(chunk: Uint8Array): { readonly pieces: readonly Uint8Array[]; readonly next: 'go-on' | 'reset' | 'end' | 'stall' } {
    const fault = this.#fault;
    if (fault?.kind === 'split-stream') {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < chunk.byteLength; at += fault.bytes) pieces.push(chunk.subarray(at, at + fault.bytes));
      return { pieces, next: 'go-on' };
    }
    if (fault === undefined || this.#sent + chunk.byteLength < fault.afterBytes) {
      this.#sent += chunk.byteLength;
      return { pieces: [chunk], next: 'go-on' };
    }
    const pieces = [chunk.subarray(0, fault.afterBytes - this.#sent)];
    this.#sent = fault.afterBytes;
    return { pieces, next: fault.how };
  }
}
