import modal from '@petasos/backend-modal';
import { defineSubject } from '@petasos/core/conformance';
import { behindFaultyLine } from '@petasos/core/testing';
import { useEmulator } from '@petasos/emulators';
import { clientOf } from '@petasos/testbed';

const emulator = await useEmulator('modal');
const line = behindFaultyLine(modal);
const hostEnv = { ...process.env, ...emulator.env };

/** Modal's SDK against the emulator of Modal's services. */
export const subject = defineSubject({
  backend: line.backend,
  hostEnv,
  faults: line.faults,
  modes: {
    'network.none': { network: 'none' },
    'network.allowlist': { network: { domains: ['example.org'], cidrs: ['192.0.2.0/24'] } },
  },
  spawnClient: clientOf(import.meta.url),
});
