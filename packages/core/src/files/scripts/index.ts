import change from './change.sh?raw';
import common from './common.sh?raw';
import describe from './describe.sh?raw';
import download from './download.sh?raw';
import read from './read.sh?raw';
import upload from './upload.sh?raw';
import write from './write.sh?raw';

const whole = (script: string) => `${common}\n${script}`;

/** The scripts that run in the place, each with what they share. */
export const scripts = {
  change: whole(change),
  describe: whole(describe),
  download: whole(download),
  read: whole(read),
  upload: whole(upload),
  write: whole(write),
} as const;
