import { createDirectoryTally } from '../../../src/approval/memory/tally.js';

const [directory = '', scope = '', cleared = ''] = process.argv.slice(2);
const tally = createDirectoryTally(directory);
for (let count = 0; count < 20; count += 1) {
  await tally.add(scope, { at: Date.now(), note: `${process.pid} ${count}` });
  await tally.add(cleared, { at: count, note: '' });
  await tally.clear(cleared);
}
