import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './sif-subject.js';

conformance(subject);
