import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { cpus, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { command } from '../command.js';
import { until } from '../poll.js';
import { endTree, isAlive, type ProcessRecord, startDaemon, untilAnswers } from '../processes.js';
import { allOrNothing } from '../service.js';

export interface SlurmClusterOptions {
  /** Configuration, state and logs go here. Its path is short: the socket of munge is in it. */
  readonly directory: string;
}

/** A cluster of one node, this machine. */
export interface SlurmCluster {
  /** What `SLURM_CONF` is set to. */
  readonly conf: string;
  readonly node: string;
  /** More than this machine has: what waits does so because of SLURM. */
  readonly cpus: number;
  readonly processes: readonly ProcessRecord[];
  /** Runs a SLURM program as the administrator. */
  admin(program: string, args: readonly string[]): Promise<string>;
  stopController(): Promise<void>;
  startController(): Promise<void>;
  /** Cancels every job and ends the daemons. The directory stays. */
  stop(): Promise<void>;
}

export async function startSlurmCluster({ directory }: SlurmClusterOptions): Promise<SlurmCluster> {
  const conf = join(directory, 'slurm.conf');
  const log = (name: string) => join(directory, `${name}.log`);
  const node = hostname().split('.')[0] ?? 'localhost';
  const count = Math.max(64, cpus().length * 4);
  await prepare(directory, conf, node, count);
  const env = { ...process.env, SLURM_CONF: conf };
  const admin = (program: string, args: readonly string[]) => command(program, args, { env: { SLURM_CONF: conf } });
  const daemon = (name: string, program: string, args: readonly string[]) => startDaemon({ name, program, args, logFile: log(name), env });

  const startController = async () => {
    const started = await daemon('slurmctld', 'slurmctld', ['-D', '-f', conf]);
    await untilAnswers(started, log('slurmctld'), () => admin('sinfo', ['-h']));
    return started;
  };
  return allOrNothing(async (undo) => {
    const munged = await daemon('munged', 'munged', mungeArguments(directory));
    undo(() => endTree(munged));
    await untilAnswers(munged, log('munged'), () => command('munge', ['-n', '-S', join(directory, 'munge.sock')]));
    let controller = await startController();
    undo(() => endTree(controller, 3_000));
    const slurmd = await daemon('slurmd', 'slurmd', ['-D', '-f', conf, '-N', node]);
    undo(() => endTree(slurmd, 3_000));
    await until('the node is idle', async () => (await admin('sinfo', ['-h', '-o', '%T'])).trim() === 'idle');
    return {
      conf,
      node,
      cpus: count,
      processes: [munged, controller, slurmd],
      admin,
      stopController: () => endTree(controller, 3_000),
      async startController() {
        controller = await startController();
      },
      async stop() {
        if (isAlive(controller)) await cancelAll(conf).catch(() => {});
        for (const record of [slurmd, controller, munged]) await endTree(record, 3_000);
      },
    };
  });
}

/** Ends every job: a step's daemon would outlive the one that started it. */
export async function cancelAll(conf: string): Promise<void> {
  const env = { SLURM_CONF: conf };
  const jobs = async () => (await command('squeue', ['-h', '-o', '%A'], { env })).split('\n').filter((line) => line !== '');
  const present = await jobs();
  if (present.length > 0) await command('scancel', present, { env });
  await until('the jobs end', async () => (await jobs()).length === 0, { timeoutMs: 20_000 });
}

async function prepare(directory: string, conf: string, node: string, count: number): Promise<void> {
  for (const folder of ['state', 'spool']) await mkdir(join(directory, folder));
  await writeFile(join(directory, 'munge.key'), randomBytes(1024), { mode: 0o400 });
  // Processes of a step end with it, as on most clusters, where the kernel offers what that takes.
  const groups = existsSync('/sys/fs/cgroup/freezer');
  await writeFile(join(directory, 'cgroup.conf'), 'CgroupPlugin=cgroup/v1\nCgroupAutomount=no\nConstrainCores=no\nConstrainRAMSpace=no\n');
  const settings: Readonly<Record<string, string>> = {
    ClusterName: 'petasos',
    SlurmctldHost: `${node}(127.0.0.1)`,
    SlurmctldPort: String(await freePort()),
    SlurmdPort: String(await freePort()),
    AuthType: 'auth/munge',
    AuthInfo: `socket=${join(directory, 'munge.sock')}`,
    SlurmUser: 'root',
    SlurmdUser: 'root',
    StateSaveLocation: join(directory, 'state'),
    SlurmdSpoolDir: join(directory, 'spool'),
    SlurmctldPidFile: join(directory, 'slurmctld.pid'),
    SlurmdPidFile: join(directory, 'slurmd.pid'),
    // Two clusters on one machine share its control groups, which are named after jobs.
    FirstJobId: String(randomInt(1, 60_000) * 1000),
    ProctrackType: groups ? 'proctrack/cgroup' : 'proctrack/pgid',
    TaskPlugin: 'task/none',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_CPU',
    SchedulerParameters: 'sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0',
    SlurmdParameters: 'config_overrides',
    ReturnToService: '2',
    KillWait: '2',
    MinJobAge: '300',
    MailProg: '/bin/true',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const memory = Math.floor(totalmem() / 1024 / 1024);
  lines.push(
    `NodeName=${node} NodeAddr=127.0.0.1 CPUs=${count} Boards=1 SocketsPerBoard=1 CoresPerSocket=${count} ThreadsPerCore=1 RealMemory=${memory} State=UNKNOWN`,
    'PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP',
  );
  await writeFile(conf, `${lines.join('\n')}\n`);
}

function mungeArguments(directory: string): readonly string[] {
  const file = (name: string) => join(directory, name);
  return [
    ...['--foreground', '--force', `--socket=${file('munge.sock')}`, `--key-file=${file('munge.key')}`],
    ...[`--pid-file=${file('munge.pid')}`, `--seed-file=${file('munge.seed')}`, `--log-file=${file('munge.log')}`],
  ];
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
