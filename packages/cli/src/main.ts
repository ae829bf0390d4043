#!/usr/bin/env node
// Asking for the version must cost no more than starting Node: nothing else is loaded for it.
const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const { version } = await import('./version.js');
  process.stdout.write(`${version()}\n`);
} else {
  try {
    const { dispatch } = await import('./dispatch.js');
    await dispatch(args);
  } catch (error) {
    // Only an installation that is not whole leads here: every other error is told by the dispatcher.
    process.stderr.write(
      `petasos: cannot start: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}. Reinstall @petasos/cli.\n`,
    );
    process.exitCode = 125;
  }
}
