import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './busybox-subject.js';

conformance(subject);
