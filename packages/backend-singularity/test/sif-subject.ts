import { images, subjectOf } from './subject.js';

/** An image file, with an overlay directory that keeps what commands change. */
export const subject = subjectOf(import.meta.url, { image: images.sif });
