import { imageWith, subjectWith, testbed } from './place.js';

/** An image that is made to run one service: its user is not root, and its entry point never ends well. */
const image = await imageWith('petasos-testbed/busybox-user:latest', testbed.tars.busybox, [
  'USER user',
  'WORKDIR /var/tmp',
  'ENTRYPOINT ["/bin/false"]',
  'CMD ["--serve"]',
  'ENV PATH=/bin:/opt/tools',
]);

export const subject = subjectWith({ image }, import.meta.url);
