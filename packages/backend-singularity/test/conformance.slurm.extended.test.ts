import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './slurm-subject.js';

conformance(subject);
