import { PetasosError } from '../../contract/errors.js';

/**
 * `manual`: what is dangerous or cannot be understood is asked. `strict`: only what a rule allows runs, the rest is
 * refused without a question. `off`: nothing is asked; what the judge denies and what deny rules name stays refused.
 */
export type ApprovalMode = 'manual' | 'strict' | 'off';

export const approvalModes: readonly ApprovalMode[] = ['manual', 'strict', 'off'];

/** Reads a mode from a configuration value. */
export function parseApprovalMode(value: unknown): ApprovalMode {
  const mode = approvalModes.find((known) => known === value);
  if (mode !== undefined) return mode;
  throw new PetasosError('invalid-options', `approvals.mode is ${JSON.stringify(value)}, which is no mode`, {
    operation: 'approvals',
    remedy: `Use one of ${approvalModes.join(', ')}.`,
  });
}
