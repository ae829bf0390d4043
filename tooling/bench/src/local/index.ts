import type { Curve, Row } from '../row.js';
import { cliRun, cliVersion } from './cli.js';
import { statefulShell, warmExec } from './exec.js';
import { commands, files, outputSize, sandboxes } from './growth.js';
import { killAfterTimeout } from './kill.js';
import { captured, streamed } from './output.js';

export const rows: readonly Row[] = [warmExec, statefulShell, streamed, captured, killAfterTimeout, cliRun, cliVersion];
export const curves: readonly Curve[] = [commands, outputSize, files, sandboxes];
