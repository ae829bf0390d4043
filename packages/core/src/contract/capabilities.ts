/** What a place can do. Declared by the backend, measured by the conformance suite. */
export interface Capabilities {
  /** `stream`: spawn takes live stdin. `file`: it takes none, and input travels through a file. */
  readonly stdin: 'stream' | 'file';
  /**
   * With `stream`: a process keeps its stdin when its client is gone. No end of file tells the place then; it has to miss the client's signs
   * of life, which takes half a minute. Absent: the stdin ends with the client.
   */
  readonly stdinOutlivesClient?: boolean | undefined;
  /** `separate`: stdout and stderr arrive apart. `merged`: as one stream, so the engine keeps them in files. */
  readonly streams: 'separate' | 'merged';
  /** `bytes`: streams carry any byte. `text`: they may damage bytes that are not UTF-8, so the engine encodes. */
  readonly bytes: 'bytes' | 'text';
  readonly terminal: boolean;
  readonly files: 'native' | 'derived';
  readonly pause: 'disk' | 'memory' | false;
  readonly snapshot: 'same-id' | 'new-sandbox' | false;
  /** Another process can attach to a sandbox by its ref. */
  readonly reattach: boolean;
  readonly forward: 'url' | 'tcp' | false;
  readonly network: readonly NetworkMode[];
  readonly limits: readonly LimitKind[];
  readonly gpu: boolean;
  /** The place ends or stops a sandbox by itself once its client is gone and its idle limit has passed. */
  readonly idleStop: boolean;
  /** Files outlive the client: the sandbox can be attached to tomorrow. */
  readonly persistent: boolean;
  /** Commands may run as root inside. */
  readonly root: boolean;
}

export type NetworkMode = 'open' | 'none' | 'allowlist';
export type LimitKind = 'cpu' | 'memory' | 'disk' | 'pids';

/** A row of the decision table: how this place compares to the others, in words for a person. */
export interface Traits {
  readonly title: string;
  readonly isolation: string;
  readonly startup: string;
  readonly cost: string;
  readonly persistence: string;
  readonly goodFor: string;
  /** The needs that it meets best: `petasos choose` asks for a need and finds the place. */
  readonly suits?: readonly Suits[] | undefined;
}

/**
 * What work needs of its place. `unguarded`: nothing but speed, on a machine that may be lost. `isolated`: this machine, and commands that
 * cannot ruin it. `elsewhere`: another machine. `cluster`: containers without root. `bursts`: many at once, paid by use. `long-lived`: an
 * environment for weeks that rests in between. `javascript`: close to where JavaScript is deployed.
 */
export type Suits = 'unguarded' | 'isolated' | 'elsewhere' | 'cluster' | 'bursts' | 'long-lived' | 'javascript';
