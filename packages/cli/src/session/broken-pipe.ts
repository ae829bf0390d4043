import { exitStatus } from '../ui/exit-status.js';

type Handler = () => void;

const endNow: Handler = () => process.exit(exitStatus.brokenPipe);
let handler = endNow;

/** Watches stdout and stderr. A reader that has had enough (`| head`) is no error: the process ends without a word. */
export function watchBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED') handler();
      else process.exit(exitStatus.failed);
    });
  }
}

/** Lets a command that has something running elsewhere end that first. */
export function onBrokenPipe(own: Handler): void {
  handler = own;
}
