import { subjectWith, testbed } from './place.js';

/** busybox alone: no bash, no GNU tools; the container is removed when it is idle. */
export const subject = subjectWith({ image: testbed.images.busybox, user: 'root', persistent: false }, import.meta.url);
