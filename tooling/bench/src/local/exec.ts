import { sideBySide } from '../measure.js';
import { mustSucceed } from '../must-succeed.js';
import { rawBash } from '../raw.js';
import type { Row } from '../row.js';
import { withLocal } from './place.js';

const against = "child_process.spawn('bash', ['-c', 'true'])";
const bar = { atMost: 1.2 };

export const warmExec: Row = {
  id: 'local.exec',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const { ours, theirs, ratio } = await sideBySide(
        () => mustSucceed(sandbox, 'true'),
        () => rawBash('true'),
        effort === 'quick' ? 50 : 500,
      );
      return {
        id: 'local.exec',
        what: "warm exec('true')",
        against,
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar }],
      };
    }),
};

export const statefulShell: Row = {
  id: 'local.shell',
  run: (effort) =>
    withLocal(async (sandbox) => {
      const shell = sandbox.shell();
      const { ours, theirs, ratio } = await sideBySide(
        async () => {
          const { exitCode } = await shell.exec('true');
          if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
        },
        () => rawBash('true'),
        effort === 'quick' ? 50 : 500,
      );
      return {
        id: 'local.shell',
        what: "stateful shell, exec('true')",
        against,
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar }],
      };
    }),
};
