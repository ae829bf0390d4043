import { conformance } from '@petasos/core/conformance/vitest';
import { behindLine } from './subject.js';
import { login, subject } from './subjects/no-sftp.js';

conformance(await behindLine(subject, login));
