/** How one of the engine's scripts ended. */
export interface OperationResult {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
}

/** Runs the engine's own short scripts in the place. Arguments are never interpolated; secrets travel as input only. */
export interface Operator {
  /** @throws what the place throws when it is gone. */
  operate(script: string, args: readonly string[], input?: Uint8Array): Promise<OperationResult>;
}
