import { sideBySide } from '../measure.js';
import type { Row } from '../row.js';
import { debianImage, openDocker, rawDocker } from './place.js';

/** Making a sandbox; removing it again is not measured. */
export const openSandbox: Row = {
  id: 'docker.open',
  async run(effort) {
    const image = await debianImage();
    const made: { destroy(): Promise<unknown> }[] = [];
    let count = 0;
    const name = () => `petasos-bench-${process.pid}-${count++}`;
    try {
      const { ours, theirs, ratio } = await sideBySide(
        async () => {
          made.push(await openDocker());
        },
        async () => {
          const container = name();
          await rawDocker('run', '-d', '--name', container, image, 'sleep', 'infinity');
          made.push({ destroy: () => rawDocker('rm', '-f', container) });
        },
        effort === 'quick' ? 3 : 20,
      );
      return {
        id: 'docker.open',
        what: 'open a sandbox',
        against: 'docker run -d',
        ours,
        theirs,
        figures: [{ label: 'time', value: ratio, unit: '×', bar: { atMost: 1.2 } }],
      };
    } finally {
      for (const one of made) await one.destroy();
    }
  },
};
