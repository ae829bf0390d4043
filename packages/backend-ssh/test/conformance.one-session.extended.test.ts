import { conformance } from '@petasos/core/conformance/vitest';
import { behindLine } from './subject.js';
import { login, subject } from './subjects/one-session.js';

conformance(await behindLine(subject, login));
