import type { NetworkMode } from './capabilities.js';

/** The answer to *where*: what a command issued now would have around it. Holds names, never values of variables. */
export interface Placement {
  readonly backend: string;
  readonly sandbox: string;
  readonly machine: Machine;
  readonly user: { readonly name: string; readonly uid: number | null };
  /** The shell a command text runs under, and whether it is bash. */
  readonly shell: { readonly path: string; readonly kind: 'bash' | 'sh' };
  readonly workdir: string;
  readonly home: string;
  /** Parts of the machine where Petasos runs that a command can see. */
  readonly mounts: readonly Mount[];
  /** Names of the variables that are forwarded from the environment of Petasos. */
  readonly forwarded: readonly string[];
  readonly network: { readonly mode: NetworkMode; readonly allowed?: readonly string[] | undefined };
  readonly limits: Limits;
  readonly isolation: 'none' | 'container' | 'vm' | 'remote-host';
  /** Files are lost when the sandbox is destroyed (`ephemeral`), kept (`persistent`), or are the host's own (`host`). */
  readonly storage: 'host' | 'persistent' | 'ephemeral';
  /** Milliseconds until the place ends by itself; `null` when nothing ends it. */
  readonly lifetimeLeftMs: number | null;
  readonly cost: Cost;
  /** Where Petasos itself runs, which is another question than where its commands run. */
  readonly agent: { readonly machine: string; readonly kind: 'host' | 'container' | 'ci' };
  readonly warnings: readonly Warning[];
}

/** What a driver answers; the engine adds what it alone knows (shell, forwarded names, where Petasos runs). */
export type DriverPlacement = Omit<Placement, 'backend' | 'sandbox' | 'shell' | 'forwarded' | 'agent' | 'workdir' | 'home' | 'user'> & {
  readonly user?: Placement['user'] | undefined;
  /** Names of variables that the backend's own options forward, besides those that the engine forwards. */
  readonly forwarded?: readonly string[] | undefined;
};

export interface Machine {
  readonly name: string;
  readonly os: string;
  readonly image?: string | undefined;
  readonly region?: string | undefined;
}

export interface Mount {
  /** Path on the machine where Petasos runs (or where its engine runs). */
  readonly source: string;
  /** Path that a command sees. */
  readonly target: string;
  readonly access: 'read-only' | 'read-write';
}

export interface Limits {
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly diskGiB?: number | undefined;
  readonly pids?: number | undefined;
}

export interface Cost {
  readonly class: 'free' | 'metered';
  /** US dollars an hour while running, with the day the price was read and where. */
  readonly perHourUsd?: number | undefined;
  readonly asOf?: string | undefined;
  readonly source?: string | undefined;
}

export interface Warning {
  /** Stable id, such as `mount.docker-socket`. */
  readonly id: string;
  readonly message: string;
  readonly remedy?: string | undefined;
}
