import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './directory-subject.js';

conformance(subject);
