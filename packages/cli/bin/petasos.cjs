#!/usr/bin/env node
'use strict';

const { readFileSync, writeSync } = require('node:fs');

// Both set: NO_COLOR wins here, and Node would say on stderr that it does not.
if (process.env.NO_COLOR) delete process.env.FORCE_COLOR;

// Asking for the version must cost no more than starting Node: for it, not even the loader of modules is started.
const [first, ...others] = process.argv.slice(2);
if (others.length === 0 && (first === '--version' || first === '-V')) {
  writeSync(1, `${JSON.parse(readFileSync(`${__dirname}/../package.json`, 'utf8')).version}\n`);
} else {
  import('../dist/main.js').catch((error) => {
    // Only an installation that is not whole leads here: every other error is told by the dispatcher.
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    writeSync(2, `petasos: cannot start: ${reason}. Reinstall @petasos/cli.\n`);
    process.exitCode = 125;
  });
}
