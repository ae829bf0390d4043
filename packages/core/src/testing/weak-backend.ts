import { Transform } from 'node:stream';
import {
  type Backend,
  type Capabilities,
  capabilitiesOf,
  type Driver,
  type DriverProcess,
  defineBackend,
  type SpawnRequest,
} from '../contract/index.js';

/**
 * The same place behind the weakest driver that the contract allows: both streams merged into one that damages what is not UTF-8, no
 * stdin, no way to end a process, no native powers. What passes the suite on this rests on `spawn` alone.
 */
export function weakBackend<Options>(backend: Backend<Options>): Backend<Options> {
  return defineBackend<Options>({
    ...backend,
    capabilities: (options): Capabilities => ({
      ...capabilitiesOf(backend, options),
      stdin: 'file',
      streams: 'merged',
      bytes: 'text',
      files: 'derived',
      terminal: false,
      forward: false,
      pause: false,
      snapshot: false,
    }),
    create: async (options, spec) => weakDriver(await backend.create(options, spec)),
    attach: async (options, ref, context) => weakDriver(await backend.attach(options, ref, context)),
  });
}

function weakDriver(strong: Driver): Driver {
  return {
    ref: strong.ref,
    ...(strong.workdir !== undefined && { workdir: strong.workdir }),
    ...(strong.scratch !== undefined && { scratch: strong.scratch }),
    ...(strong.state && { state: () => strong.state?.() ?? Promise.resolve('running' as const) }),
    placement: () => strong.placement(),
    close: () => strong.close(),
    spawn: (request) => weakSpawn(strong, request),
  };
}

async function weakSpawn(strong: Driver, request: SpawnRequest): Promise<DriverProcess> {
  const merged = ['/bin/sh', '-c', 'exec "$@" 2>&1', 'weak', ...request.argv] as const;
  const process = await strong.spawn({ argv: merged, stdin: false, env: request.env });
  process.stderr?.resume();
  return {
    stdin: undefined,
    stdout: process.stdout.pipe(lossyText()),
    stderr: undefined,
    exited: process.exited,
    kill() {},
  };
}

/** What an interface that speaks text does to bytes. */
function lossyText(): Transform {
  const decoder = new TextDecoder('utf-8');
  return new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      callback(null, Buffer.from(decoder.decode(chunk, { stream: true })));
    },
    flush(callback) {
      callback(null, Buffer.from(decoder.decode()));
    },
  });
}
