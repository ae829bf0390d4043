import type { Rule } from '../program.js';

export const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });
