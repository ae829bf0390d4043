import { imageWith, subjectWith, testbed } from './place.js';

/** An image that is made to run one service: its user is not root, and its entry point never ends well. */
const image = await imageWith('petasos-testbed/debian-user:latest', testbed.tars.debian, [
  'USER daemon',
  'ENV HOME=/var/tmp',
  'WORKDIR /var/tmp',
  'ENTRYPOINT ["/bin/false"]',
  'CMD ["--serve"]',
]);

export const subject = subjectWith({ image }, import.meta.url);
