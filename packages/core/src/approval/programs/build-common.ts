import type { Call } from '../call.js';
import { contains } from '../paths.js';
import type { Rule } from '../program.js';

export const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });

export const runs = (more: Partial<Rule>): Rule => rule('option.runs', 'anything', 'One of its options loads or runs other code.', more);

export function outside(call: Call, file: string): boolean {
  const path = call.path(file);
  return !contains(call.at.context.project ?? call.at.context.cwd, path) && !contains(call.scope.cwd ?? '/nowhere', path);
}
