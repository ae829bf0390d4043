import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './exec-subject.js';

conformance(subject);
