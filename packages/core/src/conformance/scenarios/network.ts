import type { NetworkMode, Placement } from '../../contract/index.js';
import { ensure, equal, exited, show } from '../expect.js';
import { inMode, needsMode } from '../modes.js';
import { scenarios } from '../scenario.js';

const inForce = (mode: NetworkMode) => (placement: Placement) => placement.network.mode === mode;

/** Names of network interfaces, one a line. */
const interfaces = `if [ -r /proc/net/dev ]; then sed -n '3,$s/:.*//p' /proc/net/dev | tr -d ' '; else ifconfig -l | tr ' ' '\\n'; fi`;

export const network = scenarios('network', [
  {
    id: 'network.declared',
    title: 'the network mode in force is a declared one',
    async run({ capabilities, placement }) {
      ensure(
        capabilities.network.includes(placement.network.mode),
        `the mode ${placement.network.mode} should be one of ${show(capabilities.network)}`,
      );
    },
  },
  {
    id: 'network.none',
    title: 'without network a command finds no interface but the loopback',
    needs: needsMode('network.none', (capabilities) => capabilities.network.includes('none'), inForce('none')),
    run: (context) =>
      inMode(context, 'network.none', inForce('none'), async (sandbox) => {
        const result = await sandbox.exec(interfaces);
        exited(result);
        const found = result.stdout.split('\n').filter((name) => name !== '' && !/^lo\d*$/.test(name));
        equal(found, [], 'interfaces besides the loopback');
      }),
  },
  {
    id: 'network.allowlist',
    title: 'with an allowlist the placement tells what is allowed',
    needs: needsMode('network.allowlist', (capabilities) => capabilities.network.includes('allowlist'), inForce('allowlist')),
    run: (context) =>
      inMode(context, 'network.allowlist', inForce('allowlist'), async (_, placement) => {
        ensure((placement.network.allowed ?? []).length > 0, `the allowed hosts should be told, observed ${show(placement.network)}`);
      }),
  },
]);
