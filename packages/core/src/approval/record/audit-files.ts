/** The file that is written. */
export const auditFile = 'audit.jsonl';

/** Files that were put aside; the digits are the time when, so that names sort by age. */
export const rotatedFile = /^audit-(\d{15})-\d+\.jsonl$/;
