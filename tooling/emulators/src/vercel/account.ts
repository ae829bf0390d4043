import { randomBytes } from 'node:crypto';
import { type Box, type EmulatorContext, HttpProblem, RateLimit, Store } from '../core/index.js';
import type { Command } from './command.js';
import type { VercelKnobs } from './knobs.js';
import type { Route } from './routes.js';

export type Status = 'pending' | 'running' | 'stopping' | 'stopped' | 'failed' | 'aborted' | 'snapshotting';

/** One life of a sandbox: a start, and what was run in it. */
export interface Session {
  readonly id: string;
  readonly requestedAt: number;
  readonly sourceSnapshotId: string | undefined;
  readonly commands: Map<string, Command>;
  timeoutMs: number;
  status: Status;
  stoppedAt: number | undefined;
}

export interface NetworkPolicy {
  readonly mode: 'allow-all' | 'deny-all' | 'custom';
  readonly allowedDomains?: readonly string[];
  readonly allowedCIDRs?: readonly string[];
  readonly deniedCIDRs?: readonly string[];
}

/** A named sandbox: files that outlive its sessions. */
export interface Sandbox {
  readonly name: string;
  readonly persistent: boolean;
  readonly createdAt: number;
  readonly runtime: string | undefined;
  readonly image: string | undefined;
  readonly vcpus: number;
  readonly routes: Map<number, Route>;
  box: Box<Status>;
  tags: Record<string, string>;
  timeoutMs: number;
  networkPolicy: NetworkPolicy;
  snapshotId: string | undefined;
  updatedAt: number;
  session: Session;
}

/** What the emulated account holds. */
export class Account {
  readonly context: EmulatorContext<VercelKnobs>;
  readonly store: Store<Status>;
  readonly sandboxes = new Map<string, Sandbox>();
  readonly deletedSnapshots = new Set<string>();
  frozen: Promise<void> = Promise.resolve();
  thaw: () => void = () => {};
  readonly #over = new Set<string>();
  #creations: { readonly limit: RateLimit; readonly of: object } | undefined;

  constructor(context: EmulatorContext<VercelKnobs>) {
    this.context = context;
    this.store = new Store(context.clock);
  }

  get knobs(): VercelKnobs {
    return this.context.knobs;
  }

  now(): number {
    return Math.round(this.context.clock.now());
  }

  sandbox(name: string): Sandbox {
    const found = this.sandboxes.get(name);
    if (found === undefined) throw new HttpProblem(404, `there is no sandbox ${name}`, { code: 'not_found' });
    return found;
  }

  /** The running session of this id, with its sandbox. @throws as the service does for one that is over. */
  live(id: string): { readonly sandbox: Sandbox; readonly session: Session } {
    const sandbox = [...this.sandboxes.values()].find((one) => one.session?.id === id);
    if (sandbox === undefined) {
      if (this.#over.has(id)) throw stopped();
      throw new HttpProblem(404, `there is no session ${id}`, { code: 'not_found' });
    }
    const { session } = sandbox;
    if (session.status === 'stopping' || session.status === 'snapshotting')
      throw new HttpProblem(422, `the session is ${session.status}`, { code: `sandbox_${session.status}` });
    if (session.status !== 'running') throw stopped();
    return { sandbox, session };
  }

  /** No request is dealt with until {@link thaw}. */
  freeze(): void {
    this.frozen = new Promise((resolve) => {
      this.thaw = resolve;
    });
  }

  /** Remembers a session whose sandbox lives on in another one. */
  retire(session: Session): void {
    this.#over.add(session.id);
  }

  /** @throws 429 when too many sandboxes are made. */
  admitCreation(): void {
    const { creations, retryAfter } = this.knobs;
    if (creations === undefined) return;
    if (this.#creations?.of !== creations) this.#creations = { limit: new RateLimit(this.context.clock, creations), of: creations };
    const waitMs = this.#creations.limit.take();
    if (waitMs === 0) return;
    const headers: Record<string, string> = retryAfter ? { 'retry-after': String(Math.ceil(waitMs / 1000)) } : {};
    throw new HttpProblem(429, 'too many sandboxes are being made', { code: 'rate_limited' }, headers);
  }
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`;
}

function stopped(): HttpProblem {
  return new HttpProblem(410, 'the sandbox has stopped', { code: 'sandbox_stopped' });
}
