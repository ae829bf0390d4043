import * as docker from './docker/index.js';
import * as local from './local/index.js';
import type { Curve, Row } from './row.js';
import * as singularity from './singularity/index.js';
import * as ssh from './ssh/index.js';

/** What is measured, by place. */
export const places: Readonly<Record<string, { readonly rows: readonly Row[]; readonly curves: readonly Curve[] }>> = {
  local,
  docker,
  singularity,
  ssh,
};
