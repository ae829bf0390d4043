/** gRPC status codes, by the names of the specification. */
export const code = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

/** A call's refusal. `details` are the bytes of `grpc-status-details-bin`. */
export class GrpcProblem extends Error {
  readonly code: number;
  readonly details: Buffer | undefined;

  constructor(status: number, message: string, details?: Buffer) {
    super(message);
    this.code = status;
    this.details = details;
  }
}
