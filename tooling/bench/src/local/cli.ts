import { fileURLToPath } from 'node:url';
import { sideBySide } from '../measure.js';
import { rawBash, rawSpawn } from '../raw.js';
import type { Row } from '../row.js';

// By path: a package that depended on the CLI would have its command linked, which does not exist before the build.
const petasos = fileURLToPath(new URL('../../../../packages/cli/bin/petasos.cjs', import.meta.url));
const node = process.execPath;
const emptyNode = () => rawSpawn(node, ['-e', '0']);

export const cliRun: Row = {
  id: 'local.cli-run',
  async run(effort) {
    const { ours, theirs, ratio } = await sideBySide(
      () => rawSpawn(node, [petasos, 'run', '--', 'true']),
      async () => {
        await emptyNode();
        await rawBash('true');
      },
      effort === 'quick' ? 5 : 30,
    );
    return {
      id: 'local.cli-run',
      what: 'petasos run -- true',
      against: 'node -e 0, then bash -c true',
      ours,
      theirs,
      figures: [{ label: 'time', value: ratio, unit: '×', bar: { atMost: 1.5 } }],
    };
  },
};

export const cliVersion: Row = {
  id: 'local.cli-version',
  async run(effort) {
    const { ours, theirs, ratio } = await sideBySide(() => rawSpawn(node, [petasos, '--version']), emptyNode, effort === 'quick' ? 5 : 30);
    return {
      id: 'local.cli-version',
      what: 'petasos --version',
      against: 'node -e 0',
      ours,
      theirs,
      figures: [{ label: 'time', value: ratio, unit: '×', bar: { atMost: 1.2 } }],
    };
  },
};
