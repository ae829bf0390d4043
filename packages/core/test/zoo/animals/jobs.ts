import type { JobInfo, JobOutput } from '../../../src/sandbox/types.js';
import { type Animal, breakSandbox } from '../animal.js';
import { breakJobs } from '../parts.js';

const altersOutput = (alter: (output: JobOutput) => Partial<JobOutput>) =>
  breakJobs((jobs) => ({
    output: async (id, options) => {
      const output = await jobs.output(id, options);
      return { ...output, ...alter(output) };
    },
  }));

const altersInfo = (alter: (info: JobInfo) => Partial<JobInfo>) =>
  breakJobs((jobs) => {
    const altered = async (info: Promise<JobInfo>) => ({ ...(await info), ...alter(await info) });
    return { get: (id) => altered(jobs.get(id)), wait: (id, options) => altered(jobs.wait(id, options)) };
  });

export const jobAnimals: readonly Animal[] = [
  {
    name: 'starts a job only when it is over',
    caughtBy: 'J1.start',
    breakIt: breakJobs((jobs) => ({ start: async (command, options) => jobs.wait((await jobs.start(command, options)).id) })),
  },
  { name: 'lists no job', caughtBy: 'J1.start', breakIt: breakJobs(() => ({ list: async () => [] })) },
  {
    name: 'waits for a job without end',
    caughtBy: 'J1.wait',
    breakIt: breakJobs((jobs) => ({ wait: (id, options) => jobs.wait(id, { signal: options?.signal }) })),
  },
  {
    name: 'counts the offset of a job’s output from 1',
    caughtBy: 'J1.output',
    breakIt: breakJobs((jobs) => ({ output: (id, options) => jobs.output(id, { ...options, from: (options?.from ?? 0) + 1 }) })),
  },
  {
    name: 'gives stdout for every stream of a job',
    caughtBy: 'J1.output',
    breakIt: breakJobs((jobs) => ({ output: (id, options) => jobs.output(id, { ...options, stream: 'stdout' }) })),
  },
  {
    name: 'says the end of a job’s output while the job runs',
    caughtBy: 'J1.output-while-running',
    breakIt: altersOutput(() => ({ end: true })),
  },
  {
    name: 'kills only the first process of a job',
    caughtBy: 'J1.kill',
    breakIt: breakJobs((jobs, sandbox) => ({
      kill: async (id, signal = 'SIGTERM') => {
        const { pid } = await jobs.get(id);
        if (signal !== 'SIGTERM') return jobs.kill(id, signal);
        await sandbox.exec(`kill -KILL ${pid}`);
        return jobs.get(id);
      },
    })),
  },
  {
    name: 'ends a job by any signal',
    caughtBy: 'J1.signal',
    breakIt: breakJobs((jobs) => ({ kill: (id) => jobs.kill(id, 'SIGKILL') })),
  },
  {
    name: 'starts jobs in its own cwd',
    caughtBy: 'J1.options',
    breakIt: breakJobs((jobs) => ({ start: (command, options) => jobs.start(command, { ...options, cwd: '/' }) })),
  },
  {
    name: 'ignores a job’s timeout',
    caughtBy: 'J1.timeout',
    breakIt: breakJobs((jobs) => ({ start: (command, { timeoutMs: _, ...options } = {}) => jobs.start(command, options) })),
  },
  {
    name: 'waits for the background children of a job',
    caughtBy: 'J1.background-child',
    breakIt: breakJobs((jobs) => ({ start: (command, options) => jobs.start(`trap wait EXIT\n${command}`, options) })),
  },
  {
    name: 'throws a plain Error for an unknown job',
    caughtBy: 'J1.unknown',
    breakIt: breakJobs((jobs) => ({
      get: (id) =>
        jobs.get(id).catch(() => {
          throw new Error(`ENOENT: ${id}`);
        }),
    })),
  },
  {
    name: 'removes a job that runs',
    caughtBy: 'J1.remove',
    breakIt: breakJobs((jobs) => ({
      remove: async (id) => {
        await jobs.kill(id, 'SIGKILL');
        await jobs.wait(id);
        await jobs.remove(id);
      },
    })),
  },
  {
    name: 'loses a job when the client goes',
    caughtBy: 'J2.reopened',
    breakIt: breakSandbox((sandbox) => ({
      close: async () => {
        for (const job of await sandbox.jobs.list()) if (job.state === 'running') await sandbox.jobs.kill(job.id, 'SIGKILL');
        await sandbox.close();
      },
    })),
  },
  {
    name: 'reads a job only from where it attached',
    caughtBy: 'J2.reopened',
    breakIt: breakJobs((jobs) => {
      const own = new Set<string>();
      return {
        start: async (command, options) => {
          const job = await jobs.start(command, options);
          own.add(job.id);
          return job;
        },
        output: async (id, options) => {
          const output = await jobs.output(id, options);
          return own.has(id) ? output : { ...output, bytes: new Uint8Array(), from: output.next };
        },
      };
    }),
  },
  {
    name: 'forgets a job’s exit status',
    caughtBy: 'J3.exit-status',
    breakIt: breakJobs((jobs) => {
      const told = new Set<string>();
      return {
        get: async (id) => {
          const info = await jobs.get(id);
          if (!told.has(id)) return info;
          return { ...info, state: 'lost', exitCode: null };
        },
        wait: async (id, options) => {
          const info = await jobs.wait(id, options);
          told.add(id);
          return info;
        },
      };
    }),
  },
  {
    name: 'makes up an exit code for a killed job',
    caughtBy: 'J3.signal',
    breakIt: altersInfo((info) => (info.state === 'signaled' ? { state: 'exited', exitCode: 137, signal: null } : {})),
  },
  {
    name: 'takes a job without a status for one that went well',
    caughtBy: 'J3.supervisor-killed',
    breakIt: altersInfo((info) =>
      info.state === 'lost' || info.state === 'signaled' ? { state: 'exited', exitCode: 0, signal: null } : {},
    ),
  },
  {
    name: 'changes a finished job by killing it',
    caughtBy: 'J3.kill-finished',
    breakIt: breakJobs((jobs) => ({
      kill: async (id, signal) => ({ ...(await jobs.kill(id, signal)), state: 'signaled', signal: 'SIGTERM' }),
    })),
  },
  {
    name: 'keeps a job’s output without a cap',
    caughtBy: 'J4.cap',
    breakIt: breakJobs((jobs) => ({ start: (command, { maxOutputBytes: _, ...options } = {}) => jobs.start(command, options) })),
  },
  {
    name: 'drops a job’s output without a word',
    caughtBy: 'J4.cap',
    breakIt: altersOutput(() => ({ droppedBytes: 0 })),
  },
  {
    name: 'adds a newline to a job’s stdin',
    caughtBy: 'J5.stdin',
    breakIt: breakJobs((jobs) => ({ write: (id, data) => jobs.write(id, Buffer.concat([Buffer.from(data), Buffer.from('\n')])) })),
  },
  {
    name: 'takes input for a job that reads none',
    caughtBy: 'J5.closed',
    breakIt: breakJobs((jobs) => ({ write: (id, data) => jobs.write(id, data).catch(() => {}) })),
  },
];
