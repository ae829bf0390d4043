import local from '@petasos/backend-local';
import { defineSubject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { clientOf, need } from '@petasos/testbed';
import { posixPlace } from './posix-place.js';

const { busybox, applets } = await need('userland');
const line = behindFaultyLine(posixPlace(local, busybox, applets));

/** A place without bash and without GNU tools: what holds here rests on POSIX `sh`. */
export const subject = defineSubject({ backend: line.backend, faults: line.faults, spawnClient: clientOf(import.meta.url) });
