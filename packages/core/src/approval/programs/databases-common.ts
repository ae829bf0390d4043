import type { Rule } from '../program.js';

export const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({
  id: `db.${id}`,
  reach: 'remote-service',
  reason,
  ...more,
});

export const dry = '--dry-run --dryrun --pretend --plan --noop';
