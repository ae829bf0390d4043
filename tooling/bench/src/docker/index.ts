import type { Curve, Row } from '../row.js';
import { concurrent, statefulShell, warmExec } from './exec.js';
import { openSandbox } from './open.js';
import { streamed } from './output.js';
import { download, upload } from './transfer.js';

export const rows: readonly Row[] = [warmExec, statefulShell, openSandbox, streamed, concurrent, upload, download];
export const curves: readonly Curve[] = [];
