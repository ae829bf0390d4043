import { createAudit } from '../../../src/approval/record/audit.js';
import { decision, end } from '../support/records.js';

const [directory = '', writer = '', count = '0', maxBytes = '0'] = process.argv.slice(2);
const audit = createAudit({ directory, maxBytes: Number(maxBytes), keep: 100_000 });
for (let index = 0; index < Number(count); index += 1) {
  const id = `${writer}-${index}`;
  audit.write(decision({ id, command: `echo ${'x'.repeat(index % 3000)}` }));
  audit.write(end({ id }));
}
