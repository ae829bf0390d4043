#!/usr/bin/env node
import { writeSync } from 'node:fs';

/** Put in by the build. */
declare const PETASOS_VERSION: string;

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  // Asking for the version must cost no more than starting Node: not even a stream for stdout is set up for it.
  writeSync(1, `${PETASOS_VERSION}\n`);
} else {
  try {
    const { dispatch } = await import('./dispatch.js');
    await dispatch(args, PETASOS_VERSION);
  } catch (error) {
    // Only an installation that is not whole leads here: every other error is told by the dispatcher.
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    writeSync(2, `petasos: cannot start: ${reason}. Reinstall @petasos/cli.\n`);
    process.exitCode = 125;
  }
}
