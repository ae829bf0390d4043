import type { Curve, Row } from '../row.js';
import { statefulShell, warmExec } from './exec.js';
import { streamed } from './output.js';
import { download, upload } from './transfer.js';

export const rows: readonly Row[] = [warmExec, statefulShell, streamed, upload, download];
export const curves: readonly Curve[] = [];
