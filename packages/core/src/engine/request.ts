import { PetasosError } from '../contract/index.js';
import { checkEnvironment } from './environment.js';
import { refuseNul } from './quote.js';
import type { RunRequest } from './runner.js';

/** @throws `invalid-request` for what no shell could carry. */
export function checkRequest(request: RunRequest): void {
  refuseNul(request.program.text, 'the command');
  if (request.program.kind === 'script') for (const arg of request.program.args) refuseNul(arg, 'an argument');
  if (request.cwd !== undefined) refuseNul(request.cwd, 'the working directory');
  checkEnvironment(request.env ?? {});
}

/** @throws `closed` or `aborted` when nobody wants the command any more that is about to start. */
export function checkWanted(closed: boolean, signal: AbortSignal | undefined): void {
  if (closed) throw closedError();
  if (signal?.aborted) throw new PetasosError('aborted', 'aborted before the command started');
}

export function closedError(): PetasosError {
  return new PetasosError('closed', 'the sandbox is closed');
}
