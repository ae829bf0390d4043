import modal from '@petasos/backend-modal';
import { defineSubject, runLive } from '@petasos/core/conformance';

/** A whole run makes about a hundred sandboxes, two at a time, and moves files of 64 MiB. Credentials in Modal's own file do not count. */
const outcome = await runLive({
  subject: defineSubject({
    backend: modal,
    modes: {
      'network.none': { network: 'none' },
      'network.allowlist': { network: { domains: ['example.org'], cidrs: ['192.0.2.0/24'] } },
    },
  }),
  credentials: ['MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET'],
  budget: {
    sandboxes: Number(process.env.PETASOS_LIVE_SANDBOXES ?? 150),
    seconds: Number(process.env.PETASOS_LIVE_SECONDS ?? 3600),
  },
  reportDirectory: 'live-report',
});
console.log(outcome.message);
if (outcome.ran) {
  for (const { id, observed } of outcome.report.results.filter(({ status }) => status === 'failed')) console.log(`  ${id}: ${observed}`);
  process.exitCode = outcome.report.failed === 0 && outcome.leftBehind.length === 0 ? 0 : 1;
}
