import type { ChildProcess } from 'node:child_process';

/** What another client does after it has opened the sandbox of this name. JSON only. */
export interface ClientTask {
  readonly name: string;
  readonly idleLimitMs?: number | undefined;
  readonly steps: readonly ClientStep[];
}

/** `hold` keeps the client alive until its stdin ends; without it the client closes the sandbox and exits. */
export type ClientStep =
  | { readonly do: 'exec'; readonly command: string; readonly timeoutMs?: number | undefined }
  | { readonly do: 'job'; readonly command: string }
  | { readonly do: 'job-output'; readonly id: string }
  | { readonly do: 'hold' };

/** What a client prints on stdout, one JSON object a line. */
export type ClientEvent =
  | { readonly event: 'opened'; readonly id: string; readonly origin: string }
  | { readonly event: 'output'; readonly text: string }
  | { readonly event: 'exec'; readonly ended: string; readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }
  | { readonly event: 'job'; readonly id: string }
  | { readonly event: 'job-output'; readonly text: string; readonly state: string; readonly exitCode: number | null }
  | { readonly event: 'failed'; readonly code: string; readonly message: string };

/** Another client process, as a scenario sees it. */
export interface Client {
  readonly process: ChildProcess;
  /** The next event of this kind that was not taken yet. Fails on the client's `failed`, its exit, or after `withinMs` (default 10 000). */
  next<K extends ClientEvent['event']>(kind: K, withinMs?: number): Promise<Extract<ClientEvent, { event: K }>>;
  /** SIGKILL: the client gets no chance to clean up. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends its stdin, which ends `hold`, and waits for its exit. */
  finish(): Promise<void>;
}
