import { setTimeout as delay } from 'node:timers/promises';
import daytona from '@petasos/backend-daytona';
import { defineSubject } from '@petasos/core/conformance';
import { useEmulator } from '@petasos/emulators';
import { clientOf } from '@petasos/testbed';

const emulator = await useEmulator('daytona');

/** The unmodified SDK over its wire protocol, against the emulator. */
export const subject = defineSubject({
  backend: daytona,
  hostEnv: { ...process.env, ...emulator.env },
  modes: { 'network.none': { network: 'none' }, 'network.allowlist': { network: { allow: ['10.0.0.0/8', 'example.com'] } } },
  spawnClient: clientOf(import.meta.url),
  faults: {
    async cutConnection({ id }) {
      await emulator.act('outage', id);
      void delay(4_000, undefined, { ref: false }).then(() => emulator.act('mend', id).catch(() => {}));
    },
    killPlace: ({ id }) => emulator.act('gone', id),
    async pausePlace({ id }) {
      await emulator.act('freeze', id);
      return () => emulator.act('mend', id);
    },
    async delay(_, ms) {
      await emulator.setKnobs({ latencyMs: ms });
      return () => emulator.setKnobs({ latencyMs: 0 });
    },
  },
});
