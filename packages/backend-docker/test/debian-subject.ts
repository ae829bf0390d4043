import { subjectWith, testbed } from './place.js';

/** Debian with bash, as root, files kept: the defaults. */
export const subject = subjectWith({ image: testbed.images.debian, user: 'root' }, import.meta.url);
