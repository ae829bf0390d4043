import { sideBySide } from '../measure.js';
import { memoryRise } from '../memory.js';
import type { Row } from '../row.js';
import { rawDocker, withDocker } from './place.js';

const MiB = 1024 * 1024;
const warmUpBytes = 4 * MiB;

/** Output that somebody reads as it comes. */
export const streamed: Row = {
  id: 'docker.stream',
  run: (effort) =>
    withDocker(async (sandbox) => {
      const bytes = (effort === 'quick' ? 64 : 1024) * MiB;
      const read = async (amount: number) => {
        const child = await sandbox.spawn(`head -c ${amount} /dev/zero`);
        child.stderr.resume();
        let seen = 0;
        for await (const chunk of child.stdout) seen += (chunk as Buffer).length;
        const { exitCode } = await child.exited;
        if (seen !== amount || exitCode !== 0) throw new Error(`${seen} of ${amount} bytes, exit code ${exitCode}`);
      };
      const readBare = async (amount: number) => {
        const seen = await rawDocker('exec', sandbox.id, 'head', '-c', String(amount), '/dev/zero');
        if (seen !== amount) throw new Error(`docker exec gave ${seen} of ${amount} bytes`);
      };
      await read(warmUpBytes);
      await readBare(bytes);
      const rise = await memoryRise(() => read(bytes));
      const { ours, theirs, ratio } = await sideBySide(
        () => read(bytes),
        () => readBare(bytes),
        3,
        effort === 'quick' ? 0 : 1,
      );
      return {
        id: 'docker.stream',
        what: `${bytes / MiB} MiB of stdout, streamed`,
        against: 'docker exec',
        ours,
        theirs,
        figures: [
          { label: 'throughput', value: 1 / ratio, unit: '×', bar: { atLeast: 0.8 } },
          { label: 'memory above docker exec', value: rise, unit: 'MiB', bar: { atMost: 32 } },
        ],
      };
    }),
};
