#!/usr/bin/env node
// `npm test`: installs, builds, starts the services that tests ask for, runs every check and every test, and counts. `--extended` adds the suites
// on further variants of the places. What passed here and has not changed since is not run again, but for `--force` and in CI.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { runChecks } from './check.mjs';
import { endRunning, pnpm, readJson, requireSupportedNode, root, run, tool, workspacePackages } from './run.mjs';
import { forgetPassed, hashOfTests, keepPassed, passedBefore } from './unchanged.mjs';

requireSupportedNode();

const inCi = process.env.CI === 'true';
/** The suite on every variant of every place: an hour, where the usual ones take a part of it. */
const extended = process.argv.includes('--extended');
/** Everything, also what passed before on the same files. */
const force = inCi || process.argv.includes('--force');
const scratch = mkdtempSync(join(tmpdir(), 'petasos-test-'));
/** Which services this run has started. */
const report = join(scratch, 'testbed.json');
const totals = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

function fail(what) {
  totals.failed += 1;
  failures.push(what);
}

function heading(text) {
  console.log(`\n== ${text}`);
}

async function step(title, action) {
  heading(title);
  const { code } = await action();
  if (code !== 0) fail(title);
  return code === 0;
}

/** Starts what the packages' tests name in their `testbed` field. @returns the services that could not start */
async function startServices(wanted) {
  if (wanted.length === 0) return [];
  heading(`testbed: ${wanted.join(', ')}`);
  const { code } = await tool('tsx', ['tooling/testbed/src/main.ts', 'up', '--report', report, ...wanted]);
  const { failed } = existsSync(report) ? readJson(report) : { failed: wanted };
  if (code !== 0 && inCi) fail(`testbed: ${failed.join(', ')} did not start`);
  return failed;
}

async function stopServices() {
  if (!existsSync(report)) return;
  const { started } = readJson(report);
  if (started.length === 0) return;
  const { code } = await tool('tsx', ['tooling/testbed/src/main.ts', 'down', ...started]);
  if (code !== 0) fail('testbed down');
}

/**
 * First what is not the suite, since the suite asserts the contract's bounds in milliseconds and mostly waits. Two packages at a time, the files of
 * each in turn: they share one place.
 */
async function runTests(leftOut) {
  const packages = workspacePackages().filter(
    ({ folder, manifest }) => existsSync(join(root, folder, 'test')) && !leftOut.includes(manifest.name),
  );
  const suites = (folder) => readdirSync(join(root, folder, 'test')).filter((file) => /^conformance\..*test\.ts$/.test(file));
  const chosen = (folder) => suites(folder).filter((file) => extended || !file.endsWith('.extended.test.ts'));
  const hashes = await hashOfTests();
  const tests = async ({ manifest: { name } }, part, args) => {
    const hash = hashes.get(name);
    const before = force ? undefined : passedBefore(name, part, hash);
    if (before === undefined) return vitest(name, part, hash, args);
    totals.passed += before.passed;
    console.log(`${name}: ${before.passed} passed at ${before.at}, and nothing they read has changed (--force runs them again)`);
  };
  heading('tests');
  await twoAtATime(packages, (each) => tests(each, 'tests', ['--exclude=**/conformance.*test.ts']));
  heading('conformance');
  const proven = packages.filter(({ folder }) => chosen(folder).length > 0);
  proven.sort((one, other) => chosen(other.folder).length - chosen(one.folder).length);
  await twoAtATime(proven, (each) =>
    extended ? tests(each, 'extended', ['conformance.']) : tests(each, 'conformance', ['conformance.', '--exclude=**/*.extended.test.ts']),
  );
}

async function twoAtATime(items, action) {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await action(item);
  };
  await Promise.all([worker(), worker()]);
}

async function vitest(name, part, hash, args) {
  forgetPassed(name, part);
  const results = join(scratch, `${randomUUID()}.json`);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`];
  const { code, output } = await tool(
    'vitest',
    ['run', `--project=${name}`, '--maxWorkers=1', '--passWithNoTests', ...args, ...reporters],
    { capture: true },
  );
  console.log(output);
  const counts = existsSync(results) ? readJson(results) : undefined;
  totals.passed += counts?.numPassedTests ?? 0;
  totals.failed += counts?.numFailedTests ?? 0;
  const skipped = (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0);
  totals.skipped += skipped;
  // A file that cannot be loaded and an unhandled error fail the run without a failed test to count.
  if (code !== 0 && !(counts?.numFailedTests > 0)) totals.failed += 1;
  if (code === 0) {
    if (counts !== undefined && skipped === 0) keepPassed(name, part, hash, counts.numPassedTests);
    return;
  }
  const known = failedTests(counts);
  failures.push(`tests of ${name}`, ...(known.length > 0 ? known : [`code ${code}, and no test failed:\n${withoutPassed(output)}`]));
}

/** What failed and why, for the last lines of the output: what packages print before them is long. */
function failedTests(counts) {
  return (counts?.testResults ?? []).flatMap(({ name: file, message, assertionResults }) => {
    const inFile = (what, why) => `${relative(root, file)} > ${what}\n${why.split('\n').slice(0, 12).join('\n').replace(/^/gm, '    ')}`;
    const tests = assertionResults.filter(({ status }) => status === 'failed');
    if (tests.length === 0) return message ? [inFile('the file itself', message)] : [];
    return tests.map(({ fullName, failureMessages }) => inFile(fullName, failureMessages.join('\n')));
  });
}

/** The end of a runner's output: an unhandled error or a crash is told nowhere else. */
function withoutPassed(output) {
  const lines = output.split('\n').filter((line) => line.trim() !== '' && !line.includes('✓'));
  return lines.slice(-40).join('\n').replace(/^/gm, '    ');
}

/** A test works in a folder of its own; what it leaves here was meant for there. */
async function untracked() {
  const { output } = await run('git', ['ls-files', '--others', '--exclude-standard', '-z'], { capture: true });
  return output.split('\0').filter((path) => path !== '');
}

async function everything() {
  if (!(await step('install', () => pnpm(['install', '--frozen-lockfile'])))) return;
  if (!(await step('build', () => pnpm(['exec', 'turbo', 'run', 'build', '--output-logs=errors-only'])))) return;

  const before = await untracked();
  heading('checks');
  const checks = await runChecks();
  totals.passed += checks.passed;
  totals.failed += checks.failed;
  if (checks.failed > 0) failures.push('checks');

  const servicesOf = ({ testbed = [], testbedExtended = [] }) => [...testbed, ...(extended ? testbedExtended : [])];
  const asking = workspacePackages().filter(({ manifest }) => servicesOf(manifest).length > 0);
  try {
    const missing = await startServices([...new Set(asking.flatMap(({ manifest }) => servicesOf(manifest)))]);
    const leftOut = asking.filter(({ manifest }) => servicesOf(manifest).some((service) => missing.includes(service)));
    for (const { manifest } of leftOut) console.log(`${manifest.name} is not tested here: it needs ${servicesOf(manifest).join(', ')}`);
    totals.skipped += leftOut.length;
    await runTests(leftOut.map(({ manifest }) => manifest.name));
  } finally {
    await stopServices();
  }
  const strays = (await untracked()).filter((path) => !before.includes(path));
  if (strays.length > 0) fail(`tests left files in the checkout: ${strays.join(', ')}`);
}

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    endRunning();
    await stopServices();
    rmSync(scratch, { recursive: true, force: true });
    process.exit(130);
  });
}

try {
  await everything();
} catch (error) {
  console.error(error);
  fail('the test script itself');
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

if (inCi && totals.skipped > 0) failures.push(`${totals.skipped} skipped, which CI does not accept`);
for (const failure of failures) console.log(`failed: ${failure}`);
console.log(`\n${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`);
process.exitCode = totals.failed === 0 && failures.length === 0 ? 0 : 1;
