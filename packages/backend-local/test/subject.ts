import local from '@petasos/backend-local';
import { defineSubject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { clientOf } from '@petasos/testbed';

const line = behindFaultyLine(local);

/** This machine, behind a line that scenarios can cut. */
export const subject = defineSubject({ backend: line.backend, faults: line.faults, spawnClient: clientOf(import.meta.url) });
