import { PassThrough, Readable } from 'node:stream';
import type { DriverProcess } from '../contract/index.js';
import type { CallResult } from './recorded-calls.js';

/** A call that brings everything back at its end, as the process that a driver gives. For `streams: 'merged'` and `stdin: 'file'`. */
export function processOfCall(call: Promise<CallResult>): DriverProcess {
  const stdout = new PassThrough();
  const exited = call.then(
    ({ exitCode, output }) => {
      Readable.from([Buffer.from(output)]).pipe(stdout);
      return { exitCode };
    },
    (error: unknown) => {
      stdout.destroy();
      throw error;
    },
  );
  exited.catch(() => {});
  return { stdin: undefined, stdout, stderr: undefined, exited, kill() {} };
}
