import type { Readable } from 'node:stream';
import type { Driver } from '../../contract/index.js';
import type { Nonce } from '../random.js';
import type { PlaceFacts, RunEnd } from '../runner.js';

export type LaneState = 'idle' | 'busy' | 'retired' | 'dead';

export interface LaneFacts extends PlaceFacts {
  /** The place can tell whether a left-over process holds the lane's streams, so that a lane can serve again. */
  readonly reusable: boolean;
}

export interface LaneSettings {
  readonly driver: Driver;
  readonly nonce: Nonce;
  /** Directory in the place for the lane's own small file. */
  readonly scratch: string;
  readonly bash: string | null | undefined;
  /** Sandbox id, exported to every command. */
  readonly sandbox: string;
  /** Seconds without a word from the client after which the lane ends its command and itself. */
  readonly silenceSeconds: number;
  readonly graceMs: number;
}

/** The command that a lane is running. */
export interface Current {
  readonly nonce: string;
  readonly cookie: string;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Streams that have not yet reported the end. */
  pending: number;
  /** The last signal that the caller sent. */
  sent: string | undefined;
  /** When the place must have heard from us, on the clock of `performance`. */
  readonly deadline: number;
  readonly started: { resolve(): void; reject(error: unknown): void };
  readonly ended: (end: RunEnd) => void;
}
