import { Clock } from './clock.js';
import { Faults } from './faults.js';
import { RequestLog } from './requests.js';

/** What a protocol layer is given: the parts that every emulator has. */
export interface EmulatorContext<Knobs extends object> {
  readonly clock: Clock;
  readonly requests: RequestLog;
  readonly faults: Faults;
  /** How the service behaves; tests change its members at any time, so they are read when they matter. */
  readonly knobs: Knobs;
}

/** A started protocol layer. */
export interface EmulatedService {
  /** Where the SDK is pointed at. */
  readonly url: string;
  /** Variables that point SDK and CLI there, credentials included. */
  readonly env: Readonly<Record<string, string>>;
  /** What the account holds now. */
  state(): AccountState;
  /** Does something behind the client's back, such as `stop`, `gone`, `expire`. @throws for what it does not know. */
  act(action: string, box: string | undefined): Promise<void>;
  close(): Promise<void>;
}

export interface AccountState {
  readonly boxes: readonly {
    readonly id: string;
    readonly name: string;
    readonly state: string;
    readonly labels: Readonly<Record<string, string>>;
    /** Processes that the service started and that have not ended. */
    readonly processes: number;
  }[];
  /** `origin`: the id of the box that it was taken of. */
  readonly snapshots: readonly { readonly id: string; readonly name: string; readonly origin: string }[];
}

/** One cloud's protocol: the default export of `src/<name>/index.ts`. */
export interface EmulatorLayer<Knobs extends object> {
  readonly name: string;
  /** A fresh set of knobs, as the service behaves on a good day. */
  knobs(): Knobs;
  start(context: EmulatorContext<Knobs>): Promise<EmulatedService>;
}

/** A running emulator in this process. */
export interface Emulator<Knobs extends object> extends EmulatorContext<Knobs>, EmulatedService {
  readonly name: string;
}

export async function startEmulator<Knobs extends object>(
  layer: EmulatorLayer<Knobs>,
  knobs: Partial<Knobs> = {},
): Promise<Emulator<Knobs>> {
  const context: EmulatorContext<Knobs> = {
    clock: new Clock(),
    requests: new RequestLog(),
    faults: new Faults(),
    knobs: { ...layer.knobs(), ...knobs },
  };
  const service = await layer.start(context);
  return {
    name: layer.name,
    ...context,
    ...service,
    async close() {
      context.clock.stop();
      await service.close();
    },
  };
}
