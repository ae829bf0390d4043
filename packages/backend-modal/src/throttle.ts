import type { ModalClientParams } from 'modal';

type Middleware = NonNullable<ModalClientParams['grpcMiddleware']>[number];

const waits = new WeakMap<object, number>();

/** Milliseconds after which the service wants to be asked again; undefined when it did not say. */
export function retryAfterOf(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null ? waits.get(error) : undefined;
}

/** Keeps what a refusal says about when to come back: the SDK's errors do not carry it. */
export const noteRetryAfter: Middleware = async function* (call, options) {
  let details: Uint8Array | undefined;
  try {
    return yield* call.next(call.request as never, {
      ...options,
      onTrailer(trailer) {
        details = trailer.get('grpc-status-details-bin') ?? details;
        options.onTrailer?.(trailer);
      },
    });
  } catch (error) {
    const wait = details && retryAfterMs(details);
    if (wait !== undefined && typeof error === 'object' && error !== null) waits.set(error, wait);
    throw error;
  }
};

/** Field 3 of the status holds details, each with a type (1) and bytes (2); field 1 of the retry policy's are seconds as a float. */
export function retryAfterMs(status: Uint8Array): number | undefined {
  for (const detail of fields(status, 3)) {
    const type = Buffer.from(fields(detail, 1)[0] ?? []).toString();
    if (!type.endsWith('/modal.client.RPCRetryPolicy')) continue;
    const seconds = fields(fields(detail, 2)[0] ?? new Uint8Array(), 1)[0];
    if (seconds?.byteLength === 4) return Math.ceil(Buffer.from(seconds).readFloatLE() * 1000);
  }
  return undefined;
}

/** The bytes of every field of this number; those of numbers are skipped. Damaged messages have none. */
function fields(message: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = [];
  let at = 0;
  const varint = () => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = message[at++] ?? 0;
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    return value;
  };
  while (at < message.byteLength) {
    const tag = varint();
    const kind = tag & 7;
    if (kind === 0) {
      varint();
      continue;
    }
    const length = kind === 1 ? 8 : kind === 5 ? 4 : kind === 2 ? varint() : message.byteLength;
    if (tag >> 3 === number) found.push(message.subarray(at, at + length));
    at += length;
  }
  return found;
}
