import type { Curve, Row } from '../row.js';
import { statefulShell, warmExec } from './exec.js';

export const rows: readonly Row[] = [warmExec, statefulShell];
export const curves: readonly Curve[] = [];
