import { conformance } from '@petasos/core/conformance/vitest';
import { subject } from './podman-subject.js';

conformance(subject);
