import daytona from '@petasos/backend-daytona';
import { defineSubject, runLive } from '@petasos/core/conformance';

/** A whole run makes about seventy sandboxes, two at a time, and moves files of 64 MiB. */
const outcome = await runLive({
  subject: defineSubject({
    backend: daytona,
    modes: { 'network.none': { network: 'none' }, 'network.allowlist': { network: { allow: ['192.0.2.0/24', 'example.com'] } } },
  }),
  credentials: ['DAYTONA_API_KEY'],
  budget: {
    sandboxes: Number(process.env.PETASOS_LIVE_SANDBOXES ?? 120),
    seconds: Number(process.env.PETASOS_LIVE_SECONDS ?? 3600),
  },
  reportDirectory: 'live-report',
});
console.log(outcome.message);
if (outcome.ran) {
  for (const { id, observed } of outcome.report.results.filter(({ status }) => status === 'failed')) console.log(`  ${id}: ${observed}`);
  process.exitCode = outcome.report.failed === 0 && outcome.leftBehind.length === 0 ? 0 : 1;
}
