import { sideBySide } from '../measure.js';
import { mustSucceed } from '../must-succeed.js';
import { rawSpawn } from '../raw.js';
import type { Row, RowResult } from '../row.js';
import { asThatUser, withContainer } from './place.js';

const bar = { atMost: 0.1 };

export const warmExec: Row = {
  id: 'singularity.exec',
  run: (effort) =>
    withContainer(async (sandbox, apptainer) => {
      const instance = `instance://petasos-${sandbox.id}`;
      const [program, args] = asThatUser(apptainer, ['-q', 'exec', instance, 'bash', '-c', 'true']);
      const measured = await sideBySide(
        () => mustSucceed(sandbox, 'true'),
        () => rawSpawn(program, args),
        effort === 'quick' ? 20 : 200,
      );
      return row('singularity.exec', "warm exec('true')", measured);
    }),
};

export const statefulShell: Row = {
  id: 'singularity.shell',
  run: (effort) =>
    withContainer(async (sandbox, apptainer) => {
      const shell = sandbox.shell();
      const [program, args] = asThatUser(apptainer, ['-q', 'exec', `instance://petasos-${sandbox.id}`, 'bash', '-c', 'true']);
      const measured = await sideBySide(
        () => mustSucceed(shell, 'true'),
        () => rawSpawn(program, args),
        effort === 'quick' ? 20 : 200,
      );
      return row('singularity.shell', "stateful shell, exec('true')", measured);
    }),
};

function row(id: string, what: string, { ours, theirs, ratio }: Awaited<ReturnType<typeof sideBySide>>): RowResult {
  const against = 'apptainer exec instance:// bash -c true';
  return { id, what, against, ours, theirs, figures: [{ label: 'time', value: ratio, unit: '×', bar }] };
}
