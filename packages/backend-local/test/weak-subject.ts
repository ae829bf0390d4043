import local from '@petasos/backend-local';
import { defineSubject } from '@petasos/core/conformance';
import { behindFaultyLine, weakBackend } from '@petasos/core/testing';
import { clientOf } from '@petasos/testbed';

const line = behindFaultyLine(weakBackend(local));

/** The weakest driver that the contract allows: what holds here rests on `spawn` alone. */
export const subject = defineSubject({ backend: line.backend, faults: line.faults, spawnClient: clientOf(import.meta.url) });
