/** How one of the engine's scripts ended. */
export interface OperationResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
}

/** Runs the engine's own short scripts in the place. Arguments are never interpolated; secrets travel as input only. */
export interface Operator {
  /** Bytes of input that one operation takes at no more than its usual cost; undefined: any number. */
  readonly inputBytes?: number | undefined;
  /** @throws what the place throws when it is gone. */
  operate(script: string, args: readonly string[], input?: Uint8Array): Promise<OperationResult>;
}
