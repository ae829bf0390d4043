import type { Rule } from '../program.js';

export const rule = (id: string, reason: string, more: Partial<Rule>): Rule => ({
  id: `cloud.${id}`,
  reach: 'remote-service',
  reason,
  ...more,
});
