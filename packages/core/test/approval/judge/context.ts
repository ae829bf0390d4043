import type { JudgeContext } from '../../../src/approval/verdict.js';

/** A developer's machine: nothing isolated, in a project below the home directory. */
export const local: JudgeContext = { place: 'local', isolated: false, cwd: '/home/dev/project', home: '/home/dev', user: 'dev' };
