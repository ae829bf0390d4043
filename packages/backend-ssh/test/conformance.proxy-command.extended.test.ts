import { conformance } from '@petasos/core/conformance/vitest';
import { behindLine } from './subject.js';
import { login, subject } from './subjects/proxy-command.js';

conformance(await behindLine(subject, login));
