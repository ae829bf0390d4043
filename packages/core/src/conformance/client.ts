import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { isPetasosError } from '../contract/index.js';
import type { Sandbox } from '../sandbox/types.js';
import type { Client, ClientEvent, ClientStep, ClientTask } from './client-task.js';
import { ensure, fail, within } from './expect.js';
import { openFor } from './open.js';
import { defineSubject, type Subject } from './subject.js';

/** The other side of `spawnClient`: call it in the process that the hook starts. Ends when the task is done. */
export async function runClient<Options>(subject: Subject<Options>, task: ClientTask): Promise<void> {
  const say = (event: ClientEvent) => process.stdout.write(`${JSON.stringify(event)}\n`);
  try {
    const sandbox = await openFor(defineSubject(subject), { name: task.name, idleLimitMs: task.idleLimitMs });
    say({ event: 'opened', id: sandbox.id, origin: sandbox.origin });
    for (const step of task.steps) await take(step, sandbox, say);
    await sandbox.close();
  } catch (error) {
    say({ event: 'failed', code: isPetasosError(error) ? error.code : 'not-a-petasos-error', message: String(error) });
    process.exitCode = 1;
  }
}

async function take(step: ClientStep, sandbox: Sandbox, say: (event: ClientEvent) => void): Promise<void> {
  switch (step.do) {
    case 'exec': {
      const decoder = new StringDecoder('utf8');
      const onStdout = (chunk: Uint8Array) => say({ event: 'output', text: decoder.write(Buffer.from(chunk)) });
      const result = await sandbox.exec(step.command, { timeoutMs: step.timeoutMs, onStdout });
      say({ event: 'exec', ended: result.ended, exitCode: result.exitCode, stdout: result.stdout, stderr: result.stderr });
      return;
    }
    case 'job':
      say({ event: 'job', id: (await sandbox.jobs.start(step.command)).id });
      return;
    case 'job-output': {
      const output = await sandbox.jobs.output(step.id, { from: 0 });
      const info = await sandbox.jobs.get(step.id);
      say({ event: 'job-output', text: Buffer.from(output.bytes).toString(), state: info.state, exitCode: info.exitCode });
      return;
    }
    case 'hold':
      for await (const _ of process.stdin);
  }
}

/** Reads a client's events and ends it for sure. */
export function attachClient(process: ChildProcess): Client {
  const { stdout, stdin } = process;
  ensure(stdout !== null && stdin !== null, 'spawnClient must give a process whose stdin and stdout are pipes');
  const events: ClientEvent[] = [];
  const waiting = new Set<() => void>();
  let over = false;
  const wake = () => {
    for (const resume of waiting) resume();
    waiting.clear();
  };
  stdin.on('error', () => {});
  createInterface({ input: stdout }).on('line', (line) => {
    events.push(JSON.parse(line) as ClientEvent);
    wake();
  });
  const closed = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      wake();
      resolve();
    };
    process.once('close', end);
    process.once('error', end);
  });

  const take = async <K extends ClientEvent['event']>(kind: K): Promise<Extract<ClientEvent, { event: K }>> => {
    for (;;) {
      const at = events.findIndex((event) => event.event === kind || event.event === 'failed');
      const [event] = at < 0 ? [] : events.splice(at, 1);
      if (event?.event === kind) return event as Extract<ClientEvent, { event: K }>;
      if (event?.event === 'failed') fail(`the other client failed before it said ${kind}: ${event.code}: ${event.message}`);
      if (over) fail(`the other client ended (status ${process.exitCode}, signal ${process.signalCode}) before it said ${kind}`);
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };

  return {
    process,
    next: async (kind, withinMs = 10_000) => (await within(withinMs, `the other client's ${kind}`, take(kind))).value,
    async kill() {
      process.kill('SIGKILL');
      await closed;
    },
    async finish() {
      stdin.end();
      await closed;
    },
  };
}
