import vercel from '@petasos/backend-vercel';
import { defineSubject, runLive } from '@petasos/core/conformance';

/** A whole run makes about seventy sandboxes, two at a time, and moves files of 64 MiB. */
const outcome = await runLive({
  subject: defineSubject({
    backend: vercel,
    modes: {
      'network.none': { network: 'none' },
      'network.allowlist': { network: { domains: ['example.org'] } },
      'limits.cpu': { cpus: 1 },
      'limits.memory': { cpus: 1 },
    },
  }),
  credentials: ['VERCEL_TOKEN', 'VERCEL_TEAM_ID', 'VERCEL_PROJECT_ID'],
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
