import { images, subjectOf } from './subject.js';

/** A directory with a root file system; changes stay in memory. */
export const subject = subjectOf(import.meta.url, { image: images.sandbox, persistent: false });
