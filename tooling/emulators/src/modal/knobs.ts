/** How the service behaves. Tests change the members at any time. */
export interface ModalKnobs {
  /** How long a sandbox of the first version waits for a machine, in milliseconds. */
  scheduleMs: number;
  /** How long a snapshot takes, in milliseconds. */
  snapshotMs: number;
  /** Sandboxes that may be created: so many at once, then so many a minute. */
  createBurst: number;
  createPerMinute: number;
  /** Whether a refusal for too many creations says when to come back. */
  tellsRetryAfter: boolean;
  /** Whether a repeated call with the idempotency key of an earlier one gets that one's answer. */
  idempotencyKeys: boolean;
  /** Sandboxes in one answer to a listing. */
  pageSize: number;
  /** Seconds for which the token of a command router is valid. */
  routerTokenSeconds: number;
  /** Bytes a second of one stream of output; 0 is as fast as it goes. */
  streamBytesPerSecond: number;
  /** How many sandboxes may run at once. */
  maxSandboxes: number;
}

export const goodDay = (): ModalKnobs => ({
  scheduleMs: 30,
  snapshotMs: 0,
  createBurst: 1000,
  createPerMinute: 60_000,
  tellsRetryAfter: true,
  idempotencyKeys: false,
  pageSize: 20,
  routerTokenSeconds: 600,
  // Half a gigabit: as fast as a good line to the cloud, and no faster.
  streamBytesPerSecond: 64 * 1024 * 1024,
  maxSandboxes: 1000,
});
