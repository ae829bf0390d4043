import { type Capabilities, capabilitiesOf, type Placement } from '../../../src/contract/index.js';
import { type Animal, breakBackend, breakSandbox } from '../animal.js';

const alters = (alter: (placement: Placement) => Partial<Placement>) =>
  breakSandbox((sandbox) => ({
    placement: async () => {
      const placement = await sandbox.placement();
      return { ...placement, ...alter(placement) };
    },
  }));

const claims = (claim: Partial<Capabilities>) =>
  breakBackend((backend) => ({ capabilities: (options) => ({ ...capabilitiesOf(backend, options), ...claim }) }));

export const placementAnimals: readonly Animal[] = [
  {
    name: 'tells half of where commands run',
    caughtBy: 'placement.complete',
    breakIt: alters((placement) => ({ machine: { ...placement.machine, name: '' } })),
  },
  {
    name: 'tells something else of the place each time',
    caughtBy: 'placement.complete',
    breakIt: alters((placement) => ({ machine: { ...placement.machine, image: `made at ${performance.now()}` } })),
  },
  {
    name: 'tells the user of its own machine',
    caughtBy: 'placement.true',
    breakIt: alters(() => ({ user: { name: 'somebody', uid: 4711 } })),
  },
  { name: 'tells a workdir where no command starts', caughtBy: 'placement.true', breakIt: alters(() => ({ workdir: '/petasos' })) },
  {
    name: 'takes every shell for sh',
    caughtBy: 'placement.true',
    breakIt: alters(() => ({ shell: { path: '/bin/sh', kind: 'sh' } })),
  },
  {
    name: 'takes the machine of the commands for that of Petasos',
    caughtBy: 'placement.agent',
    breakIt: alters((placement) => ({ agent: { ...placement.agent, machine: placement.sandbox } })),
  },
  {
    name: 'does not see that it runs in CI',
    caughtBy: 'placement.agent',
    breakIt: alters((placement) => ({ agent: { ...placement.agent, kind: 'host' } })),
  },
  {
    name: 'shows secrets in placement',
    caughtBy: 'placement.names-only',
    breakIt: breakSandbox((sandbox, { hostEnv = {} }) => ({
      placement: async () => {
        const placement = await sandbox.placement();
        return { ...placement, forwarded: placement.forwarded.map((name) => `${name}=${hostEnv[name]}`) };
      },
    })),
  },
  { name: 'hides what it forwards', caughtBy: 'placement.names-only', breakIt: alters(() => ({ forwarded: [] })) },
  { name: 'warns of nothing', caughtBy: 'placement.secret-warning', breakIt: alters(() => ({ warnings: [] })) },
  {
    name: 'cannot say where while a command runs',
    caughtBy: 'placement.beside-commands',
    breakIt: breakSandbox((sandbox) => {
      let last: Promise<unknown> = Promise.resolve();
      return {
        exec: (command, options) => {
          const result = sandbox.exec(command, options);
          last = result.catch(() => {});
          return result;
        },
        placement: async () => {
          await last;
          return sandbox.placement();
        },
      };
    }),
  },
  { name: 'claims a GPU that it lacks', caughtBy: 'placement.gpu', breakIt: claims({ gpu: true }) },
  { name: 'claims a pause that it lacks', caughtBy: 'L6.disk', breakIt: claims({ pause: 'disk' }) },
  { name: 'claims snapshots that it lacks', caughtBy: 'L7.files', breakIt: claims({ snapshot: 'new-sandbox' }) },
  { name: 'claims a limit that nobody sets', caughtBy: 'limits.memory', breakIt: claims({ limits: ['memory'] }) },
  {
    name: 'is in a network mode that it does not declare',
    caughtBy: 'network.declared',
    breakIt: claims({ network: ['none'] }),
  },
  {
    name: 'claims to be without network and is not',
    caughtBy: 'network.none',
    breakIt: (healthy) => alters(() => ({ network: { mode: 'none' } }))(claims({ network: ['none'] })(healthy)),
  },
];
