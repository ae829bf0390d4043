import vercel from '@petasos/backend-vercel';
import { defineSubject } from '@petasos/core/conformance';
import { useEmulator } from '@petasos/emulators';
import { clientOf } from '@petasos/testbed';

const emulator = await useEmulator('vercel', { enforceLimits: true, memoryMiBPerVcpu: 512 });

/** The official SDK against a service that speaks its protocol and really executes. */
export const subject = defineSubject({
  backend: vercel,
  hostEnv: { ...process.env, ...emulator.env },
  spawnClient: clientOf(import.meta.url),
  modes: {
    'network.none': { network: 'none' },
    'network.allowlist': { network: { domains: ['example.org'] } },
    'limits.cpu': { cpus: 1 },
    'limits.memory': { cpus: 1 },
  },
  faults: {
    // No connection carries a command: each request has its own, and what becomes of a lost one is tested beside this suite.
    async killPlace({ name }) {
      await emulator.act('gone', `petasos-${name}`);
    },
    async pausePlace() {
      await emulator.act('freeze');
      return () => emulator.act('thaw');
    },
    async delay(_, ms) {
      await emulator.fault({ on: '.', fault: { kind: 'delay', ms }, times: 1_000_000 });
      return () => emulator.clearFaults();
    },
  },
});
