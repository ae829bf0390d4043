import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './subject.js';

conformance(subject);
