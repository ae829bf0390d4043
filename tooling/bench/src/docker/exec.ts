import { sideBySide } from '../measure.js';
import { mustSucceed } from '../must-succeed.js';
import type { Row } from '../row.js';
import { rawDocker, withDocker } from './place.js';

const against = 'docker exec C bash -c true';
const bar = { atMost: 0.08 };

export const warmExec: Row = {
  id: 'docker.exec',
  run: (effort) =>
    withDocker(async (sandbox) => {
      const { ours, theirs, ratio } = await sideBySide(
        () => mustSucceed(sandbox, 'true'),
        () => rawDocker('exec', sandbox.id, 'bash', '-c', 'true'),
        effort === 'quick' ? 20 : 200,
      );
      return {
        id: 'docker.exec',
        what: "warm exec('true')",
        against,
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar }],
      };
    }),
};

export const statefulShell: Row = {
  id: 'docker.shell',
  run: (effort) =>
    withDocker(async (sandbox) => {
      const shell = sandbox.shell();
      const { ours, theirs, ratio } = await sideBySide(
        async () => {
          const { exitCode } = await shell.exec('true');
          if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
        },
        () => rawDocker('exec', sandbox.id, 'bash', '-c', 'true'),
        effort === 'quick' ? 20 : 200,
      );
      return {
        id: 'docker.shell',
        what: "stateful shell, exec('true')",
        against,
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar }],
      };
    }),
};

const many = 100;

export const concurrent: Row = {
  id: 'docker.concurrent',
  run: (effort) =>
    withDocker(async (sandbox) => {
      const all = (one: () => Promise<unknown>) => () => Promise.all(Array.from({ length: many }, one));
      const { ours, theirs, ratio } = await sideBySide(
        all(() => mustSucceed(sandbox, 'sleep 0.1')),
        all(() => rawDocker('exec', sandbox.id, 'sleep', '0.1')),
        effort === 'quick' ? 1 : 5,
        effort === 'quick' ? 0 : 1,
      );
      return {
        id: 'docker.concurrent',
        what: `${many} concurrent sleep 0.1 in one sandbox`,
        against: `${many} × docker exec`,
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar: { atMost: 0.3 } }],
      };
    }),
};
