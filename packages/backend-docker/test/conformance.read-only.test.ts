import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './read-only-subject.js';

conformance(subject);
