import { sideBySide } from '../measure.js';
import type { Row } from '../row.js';
import { withSsh } from './place.js';

const against = 'ssh on a connection that ControlMaster keeps open';
const bar = { atMost: 0.1 };

export const warmExec: Row = row('ssh.exec', "warm exec('true')", (sandbox) => () => sandbox.exec('true'));

export const statefulShell: Row = row('ssh.shell', "stateful shell, exec('true')", (sandbox) => {
  const shell = sandbox.shell();
  return () => shell.exec('true');
});

type Place = Parameters<Parameters<typeof withSsh>[0]>[0];

function row(id: string, what: string, ours: (sandbox: Place['sandbox']) => () => Promise<{ readonly exitCode: number | null }>): Row {
  return {
    id,
    run: (effort) =>
      withSsh(async ({ sandbox, openSsh }) => {
        const action = ours(sandbox);
        const measured = await sideBySide(
          async () => {
            const { exitCode } = await action();
            if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
          },
          () => openSsh('true'),
          effort === 'quick' ? 30 : 200,
        );
        return {
          id,
          what,
          against,
          ours: measured.ours,
          theirs: measured.theirs,
          figures: [{ label: 'time', value: measured.ratio, unit: '×', bar }],
        };
      }),
  };
}
