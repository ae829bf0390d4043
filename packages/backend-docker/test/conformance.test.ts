import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './debian-subject.js';

conformance(subject);
