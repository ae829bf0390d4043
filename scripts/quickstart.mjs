#!/usr/bin/env node
// `npm run quickstart`: from a fresh clone to a command that ran in a place, and what to type next.
import { join } from 'node:path';
import { pnpm, requireSupportedNode, root, run } from './run.mjs';

requireSupportedNode();

const petasos = join(root, 'packages', 'cli', 'bin', 'petasos.cjs');

async function must(title, action) {
  console.log(`\n== ${title}`);
  const { code } = await action();
  if (code === 0) return;
  console.error(`\n${title} failed with status ${code}; the lines above say why.`);
  process.exit(code);
}

/** Shows the command line as a person would type it, then runs it. */
async function show(...args) {
  const typed = args.map((arg) => (/^[\w./=:-]+$/.test(arg) ? arg : `'${arg.replaceAll("'", "'\\''")}'`)).join(' ');
  await must(`petasos ${typed}`, () => run(process.execPath, [petasos, ...args]));
}

await must('Install', () => pnpm(['install', '--frozen-lockfile']));
await must('Build', () => pnpm(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only']));

await show('run', '--', 'git', 'log', '--oneline', '-n', '5');
await show('run', '--', 'git ls-files "*.ts" | xargs cat | wc -l');
await show('where');

console.log(`
These commands ran on this machine: the local backend isolates nothing, and "petasos where" above says so.
To type petasos yourself:   alias petasos='node "${petasos}"'
Then, for example:          petasos run --timeout 2s -- 'echo part; sleep 60'; echo "status $?"
                            petasos where --json
                            petasos backends
Everything tested:          npm test`);
