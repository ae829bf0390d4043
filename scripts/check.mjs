#!/usr/bin/env node
// Every check that is not a test, one line each. `node scripts/check.mjs [name …]` runs only those named; the build must be there.
import { pathToFileURL } from 'node:url';
import { docsExamples } from './checks/docs-examples.mjs';
import { fileLength } from './checks/file-length.mjs';
import { manifests } from './checks/manifests.mjs';
import { tarballs } from './checks/tarballs.mjs';
import { decisionTable } from './decision-table.mjs';
import { pnpm, tool } from './run.mjs';

/** A check resolves with its problems; none means that it passed. */
const checks = {
  format: fromTool('biome', ['ci', '--error-on-warnings', '.']),
  types: async () => problemsOf(await pnpm(['exec', 'turbo', 'run', 'typecheck', '--output-logs=errors-only'], { capture: true })),
  unused: fromTool('knip', ['--treat-config-hints-as-errors']),
  directions: fromTool('depcruise', ['--config', '.dependency-cruiser.cjs', 'packages', 'tooling', 'scripts']),
  'file-length': fileLength,
  manifests,
  'decision-table': decisionTable,
  'docs-examples': docsExamples,
  tarballs,
};

function fromTool(name, args) {
  return async () => problemsOf(await tool(name, args, { capture: true }));
}

function problemsOf({ code, output }) {
  return code === 0 ? [] : [output.trim() || `exit status ${code}`];
}

/** Two at a time: most of them keep one processor busy. @returns {Promise<{ passed: number, failed: number }>} */
export async function runChecks(names = Object.keys(checks)) {
  const totals = { passed: 0, failed: 0 };
  const left = [...names];
  const worker = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const passed = await runCheck(name);
      totals[passed ? 'passed' : 'failed'] += 1;
    }
  };
  await Promise.all([worker(), worker()]);
  return totals;
}

async function runCheck(name) {
  const started = performance.now();
  const problems = await checks[name]().catch((error) => [String(error?.stack ?? error)]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`check ${name}: ${problems.length === 0 ? 'passed' : 'FAILED'} (${seconds} s)`);
  for (const problem of problems) console.log(problem.replace(/^/gm, '  '));
  return problems.length === 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const names = process.argv.slice(2);
  const unknown = names.filter((name) => !Object.hasOwn(checks, name));
  if (unknown.length > 0) {
    console.error(`No check is called ${unknown.join(', ')}. There are: ${Object.keys(checks).join(', ')}.`);
    process.exit(2);
  }
  const { passed, failed } = await runChecks(names.length > 0 ? names : undefined);
  console.log(`${passed} checks passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
