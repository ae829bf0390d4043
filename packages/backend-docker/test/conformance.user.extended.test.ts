import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './user-subject.js';

conformance(subject);
