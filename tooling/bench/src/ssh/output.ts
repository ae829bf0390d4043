import { sideBySide } from '../measure.js';
import { memoryRise } from '../memory.js';
import type { Row } from '../row.js';
import { withSsh } from './place.js';

const MiB = 1024 * 1024;

/** Output that somebody reads as it comes. */
export const streamed: Row = {
  id: 'ssh.stream',
  run: (effort) =>
    withSsh(async ({ sandbox, openSsh }) => {
      const bytes = (effort === 'quick' ? 128 : 1024) * MiB;
      const read = async (amount: number) => {
        const child = await sandbox.spawn(`head -c ${amount} /dev/zero`);
        child.stderr.resume();
        let seen = 0;
        for await (const chunk of child.stdout) seen += (chunk as Buffer).length;
        const { exitCode } = await child.exited;
        if (seen !== amount || exitCode !== 0) throw new Error(`${seen} of ${amount} bytes, exit code ${exitCode}`);
      };
      const readBare = (amount: number) => openSsh(`head -c ${amount} /dev/zero`);
      await read(4 * MiB);
      await readBare(bytes);
      const rise = await memoryRise(() => read(bytes));
      const { ours, theirs, ratio } = await sideBySide(
        () => read(bytes),
        () => readBare(bytes),
        effort === 'quick' ? 3 : 5,
        1,
      );
      return {
        id: 'ssh.stream',
        what: `${bytes / MiB} MiB of stdout, streamed`,
        against: 'the same through ssh on a connection that is kept open',
        ours,
        theirs,
        figures: [
          { label: 'throughput', value: 1 / ratio, unit: '×', bar: { atLeast: 0.8 } },
          { label: 'memory above a bare pipe', value: rise, unit: 'MiB', bar: { atMost: 32 } },
        ],
      };
    }),
};
