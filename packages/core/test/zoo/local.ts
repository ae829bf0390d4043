import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import local from '../../../backend-local/src/index.js';
import { defineSubject } from '../../src/conformance/index.js';

/** Animals may spill: what they do to a relative name happens here and not in the checkout. */
const workdir = mkdtempSync(join(tmpdir(), 'petasos-zoo-'));
process.once('exit', () => rmSync(workdir, { recursive: true, force: true }));

/** The place that the animals are made of: healthy, and on this machine. */
export const healthy = defineSubject({ backend: local, options: { workdir } });
