/** How the emulated service behaves. */
export interface DaytonaKnobs {
  /** Milliseconds that `creating`, `starting`, `stopping` and the like take. */
  transitionMs: number;
  /** Milliseconds that one of the service's minutes takes: auto-stop counts in minutes. */
  minuteMs: number;
  /** Milliseconds before any request is looked at. */
  latencyMs: number;
  /** One shell for all commands of a session, with all that follows from it; `per-command` is what people expect. */
  sessionShell: 'persistent' | 'per-command';
  /** Whether commands of a session get a stdin that stays open, as asynchronous ones do. */
  openStdin: boolean;
  /** Whether a command's record ever shows its exit code. */
  exitRecords: boolean;
  /** Sandboxes that may be created: at once, and then in a minute. */
  createBurst: number;
  createsPerMinute: number;
  /** Whether a 429 says when to come back. */
  retryAfter: boolean;
  /** Sandboxes that may exist at a time. */
  maxSandboxes: number;
  /** The next starts end in the state `error`. */
  failStarts: number;
}

export function goodDay(): DaytonaKnobs {
  return {
    transitionMs: 30,
    minuteMs: 60_000,
    latencyMs: 0,
    sessionShell: 'persistent',
    openStdin: true,
    exitRecords: true,
    createBurst: 600,
    createsPerMinute: 600,
    retryAfter: true,
    maxSandboxes: 1000,
    failStarts: 0,
  };
}
