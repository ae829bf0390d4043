import { createLedger } from '../../../src/approval/memory/ledger.js';
import { memorable } from '../../../src/approval/memory/subject.js';
import { command, home, oneUnit } from '../support/commands.js';

const [directory = '', writer = ''] = process.argv.slice(2);
const ledger = createLedger({ directory });
for (let count = 0; count < 100; count += 1) {
  const { unit, assessment } = oneUnit(command(`rm -rf build-${writer}-${count}`));
  const answer = memorable(unit, assessment, home, '');
  if (answer?.durable !== true) throw new Error('the answer is not durable');
  await ledger.remember(answer.subject, 'always', `writer ${writer}`);
  // All writers also give this one, so that they meet in a file.
  const common = oneUnit(command(`rm -rf common-${count}`));
  await ledger.remember(memorable(common.unit, common.assessment, home, '')?.subject ?? answer.subject, 'always', `writer ${writer}`);
}
