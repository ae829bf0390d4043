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
