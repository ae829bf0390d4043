import local from '../../../backend-local/src/index.js';
import { defineSubject } from '../../src/conformance/index.js';

/** The place that the animals are made of: healthy, and on this machine. */
export const healthy = defineSubject({ backend: local });
