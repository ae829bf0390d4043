import type { ProcessRecord } from './processes.js';

/** A program that a service runs, and the Debian package that brings it. */
export interface Need {
  readonly program: string;
  readonly debianPackage: string;
}

export interface StartContext {
  /** Private to the service, made empty for this start, removed when it stops. Its path is short enough for a socket. */
  readonly directory: string;
  /** Kept from run to run and shared by checkouts. */
  readonly cache: string;
  log(line: string): void;
}

/** What a started service says of itself: where tests reach it, and which processes end it. */
export interface Started<Info> {
  readonly info: Info;
  readonly processes: readonly ProcessRecord[];
}

/** A real thing that tests talk to. */
export interface Service<Info> {
  readonly name: string;
  /** What it needs here. */
  needs(): readonly Need[];
  /** Resolves when it answers. A failed start leaves nothing running. */
  start(context: StartContext): Promise<Started<Info>>;
  /** Asks the running service something; rejects when it does not answer. */
  probe(info: Info): Promise<void>;
  /** Ends what would hold up the end of its processes. It may not answer any more. */
  beforeStop?(info: Info): Promise<void>;
  /** Takes back what it changed on the machine outside its directory: users, bridges. Its processes are gone by then. */
  clean?(info: Info): Promise<void>;
}

/** Ends what was started so far when a later step fails. */
export async function allOrNothing<T>(action: (undo: (step: () => Promise<unknown>) => void) => Promise<T>): Promise<T> {
  const steps: (() => Promise<unknown>)[] = [];
  try {
    return await action((step) => steps.push(step));
  } catch (error) {
    for (const step of steps.reverse()) await step().catch(() => {});
    throw error;
  }
}
