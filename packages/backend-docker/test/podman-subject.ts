import { need } from '@petasos/testbed';
import { placeOn } from './engine-place.js';

const podman = await need('podman');
const { subjectWith } = await placeOn(podman);

/** Podman, which speaks the Docker Engine's language. */
export const subject = subjectWith({ image: podman.images.debian, user: 'root' }, import.meta.url);
