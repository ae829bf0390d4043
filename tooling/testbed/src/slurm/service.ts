import { command } from '../command.js';
import type { Service } from '../service.js';
import { cancelAll, type SlurmCluster, startSlurmCluster } from './cluster.js';

export type SlurmInfo = Pick<SlurmCluster, 'conf' | 'node' | 'cpus'>;

/** SLURM with one node: this machine. Root only: its daemon starts jobs as their users. */
export const slurm: Service<SlurmInfo> = {
  name: 'slurm',
  needs: () => [
    { program: 'slurmctld', debianPackage: 'slurmctld' },
    { program: 'slurmd', debianPackage: 'slurmd' },
    { program: 'srun', debianPackage: 'slurm-client' },
    { program: 'munged', debianPackage: 'munge' },
  ],
  async start({ directory }) {
    if (process.getuid?.() !== 0) throw new Error('slurmd needs root to run jobs as their users');
    const { conf, node, cpus, processes } = await startSlurmCluster({ directory });
    return { info: { conf, node, cpus }, processes };
  },
  async probe({ conf }) {
    await command('sinfo', ['-h'], { env: { SLURM_CONF: conf } });
  },
  beforeStop: ({ conf }) => cancelAll(conf),
};
