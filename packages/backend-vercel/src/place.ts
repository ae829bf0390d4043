import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError, type SandboxState } from '@petasos/core/backend';
import type { Sandbox, Session } from '@vercel/sandbox';
import type { VercelApi } from './api.js';
import { isSessionOver, serviceFailure, vercelError } from './errors.js';
import { readTags } from './labels.js';

/** How long a session may take to end or to start. */
const settleMs = 60_000;
const lookMs = 200;

/** One sandbox and its present session. The SDK's own resuming takes any sandbox of the name; this one only its own. */
export class VercelPlace {
  readonly api: VercelApi;
  /** The name that the user gave. */
  readonly name: string;
  readonly id: string;
  #sandbox: Sandbox;
  #resuming: Promise<void> | undefined;

  constructor(api: VercelApi, sandbox: Sandbox, identity: { readonly id: string; readonly name: string }) {
    this.api = api;
    this.#sandbox = sandbox;
    this.id = identity.id;
    this.name = identity.name;
  }

  get sandbox(): Sandbox {
    return this.#sandbox;
  }

  get session(): Session {
    return this.#sandbox.currentSession();
  }

  /**
   * Does something in the running session. One that is over is started again, once: a request to it has had no effect.
   * @throws PetasosError
   */
  async use<Result>(operation: string, work: (session: Session) => Promise<Result>): Promise<Result> {
    const { session } = this;
    try {
      return await work(session);
    } catch (error) {
      if (!isSessionOver(error)) throw vercelError(error, operation, this.name);
    }
    if (this.session === session) await this.resume();
    try {
      return await work(this.session);
    } catch (error) {
      throw vercelError(error, operation, this.name);
    }
  }

  /** Starts a session where none runs. Several that come at once start one. */
  resume(): Promise<void> {
    this.#resuming ??= this.#start().finally(() => {
      this.#resuming = undefined;
    });
    return this.#resuming;
  }

  async #start(): Promise<void> {
    const deadline = performance.now() + settleMs;
    for (;;) {
      try {
        this.#sandbox = this.#own(await this.api.get(this.#sandbox.name, { resume: true }), 'resume');
        if (this.session.status !== 'pending') return;
      } catch (error) {
        // A session that is still ending cannot be followed by another one yet.
        const ending = error instanceof PetasosError && (error.data.status === 422 || error.data.status === 409);
        if (!ending || performance.now() > deadline) throw error;
      }
      if (performance.now() > deadline) throw this.#late();
      await delay(lookMs);
    }
  }

  /** Asks the service, and starts nothing. */
  async look(): Promise<Sandbox> {
    return this.#own(await this.api.get(this.#sandbox.name), 'look');
  }

  async state(): Promise<SandboxState> {
    try {
      return stateOf((await this.look()).status);
    } catch (error) {
      if (error instanceof PetasosError && error.code === 'destroyed') return 'gone';
      throw error;
    }
  }

  /** Ends the session; the service keeps the files in a snapshot. */
  async stop(): Promise<void> {
    try {
      await this.session.stop();
    } catch (error) {
      if (isSessionOver(error)) return;
      // The answer may be lost although the session was stopped.
      if (serviceFailure(error) === undefined && (await this.state().catch(() => 'running')) === 'stopped') return;
      throw vercelError(error, 'pause', this.name);
    }
  }

  #own(found: Sandbox | undefined, operation: string): Sandbox {
    if (found !== undefined && readTags(found.tags)?.id === this.id) return found;
    throw new PetasosError('destroyed', `the sandbox ${this.name} of vercel is gone`, {
      backend: 'vercel',
      operation,
      remedy: 'Open a new one.',
    });
  }

  #late(): PetasosError {
    return new PetasosError('unavailable', `the sandbox ${this.name} of vercel has not started within ${settleMs / 1000} s`, {
      backend: 'vercel',
      operation: 'resume',
      retryable: true,
      remedy: 'Try again later.',
    });
  }
}

export function stateOf(status: Sandbox['status']): SandboxState {
  return status === 'running' || status === 'pending' ? 'running' : 'stopped';
}
