import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './weak-subject.js';

conformance(subject);
