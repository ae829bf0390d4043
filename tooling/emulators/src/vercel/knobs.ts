/** How the emulated service behaves. Tests change members at any time. */
export interface VercelKnobs {
  readonly token: string;
  readonly teamId: string;
  readonly projectId: string;
  /** Longest life of a session, in milliseconds: 45 minutes on the smallest plan, a day on the others. */
  maxTimeoutMs: number;
  maxVcpus: number;
  defaultVcpus: number;
  memoryMiBPerVcpu: number;
  /** Ends the biggest process of a sandbox that takes more memory than it has, and lets its processes use so many processors. */
  enforceLimits: boolean;
  /** How long `stopping` and `snapshotting` last, in milliseconds. */
  transitionMs: number;
  /** Answer to a name that is taken: the real status is not known. */
  duplicateStatus: number;
  /** Sandboxes that may be made: `burst` at once, then `perMinute`; undefined: any number. */
  creations: { readonly perMinute: number; readonly burst: number } | undefined;
  /** Whether a 429 says when to come again. */
  retryAfter: boolean;
  /** Sandboxes on one page of a listing, at most. */
  pageSize: number;
}

export function defaultKnobs(): VercelKnobs {
  return {
    token: 'emulated-vercel-token',
    teamId: 'team_emulated',
    projectId: 'prj_emulated',
    maxTimeoutMs: 24 * 60 * 60 * 1000,
    maxVcpus: 8,
    defaultVcpus: 2,
    memoryMiBPerVcpu: 2048,
    enforceLimits: false,
    transitionMs: 30,
    duplicateStatus: 409,
    creations: undefined,
    retryAfter: true,
    pageSize: 20,
  };
}
