import { subjectWith, testbed } from './place.js';

/** A root file system that nobody can write. */
export const subject = subjectWith({ image: testbed.images.debian, user: 'root', readOnly: true }, import.meta.url);
