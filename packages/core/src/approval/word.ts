import { hasGlob, hasMarks, hasUnknown, show } from './marks.js';

/** One word of a command after expansion. */
export interface Arg {
  /** With marks for unknown parts and active wildcards. */
  readonly raw: string;
  /** As a person reads it; what the program receives when `literal`. */
  readonly text: string;
  readonly literal: boolean;
  readonly dynamic: boolean;
  readonly glob: boolean;
}

export function argument(raw: string): Arg {
  if (!hasMarks(raw)) return { raw, text: raw, literal: true, dynamic: false, glob: false };
  return { raw, text: show(raw), literal: false, dynamic: hasUnknown(raw), glob: hasGlob(raw) };
}
