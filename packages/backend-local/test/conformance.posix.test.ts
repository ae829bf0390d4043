import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './posix-subject.js';

conformance(subject);
