import { constants } from 'node:os';
import { StringDecoder } from 'node:string_decoder';
import { type Box, type BoxProcess, type Exchange, HttpProblem } from '../core/index.js';
import { type Account, newId, type Session, type Status } from './account.js';
import { onProcessors } from './limits.js';
import { commandJson, workdir } from './wire.js';

export interface Command {
  readonly id: string;
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly sessionId: string;
  readonly startedAt: number;
  readonly process: BoxProcess;
  readonly finished: Promise<void>;
  exitCode: number | null;
}

/** A child that was left behind may hold the streams for ever. */
const drainMs = 250;
const ndjson = { 'content-type': 'application/x-ndjson' };
const signalNames = new Map<number, NodeJS.Signals>(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

export async function runCommand(account: Account, exchange: Exchange, sessionId: string): Promise<void> {
  const body = await exchange.json();
  const { sandbox, session } = account.live(sessionId);
  const command = startCommand(account, sandbox.box, session, sandbox.vcpus, body);
  if (body.wait !== true) return exchange.reply(200, { command: commandJson(command) });
  const stream = await exchange.stream(200, ndjson);
  const say = (value: unknown) => stream.write(Buffer.from(`${JSON.stringify(value)}\n`));
  await say({ command: commandJson(command) });
  if (exchange.own('malformed-line')) await stream.write(Buffer.from('{"stream": not json\n'));
  if (exchange.own('error-line')) await say({ stream: 'error', data: { code: 'internal', message: 'a fault was asked for' } });
  if (body.logs === true) await sayLogs(command, say);
  await command.finished;
  if (session.status === 'running') await say({ command: commandJson(command) });
  else await say({ stream: 'error', data: { code: 'sandbox_stopped', message: 'the sandbox has stopped' } });
  stream.end();
}

function startCommand(
  account: Account,
  box: Box<Status>,
  session: Session,
  vcpus: number,
  body: Readonly<Record<string, unknown>>,
): Command {
  const name = String(body.command ?? '');
  const args = Array.isArray(body.args) ? body.args.map(String) : [];
  if (name === '') throw new HttpProblem(400, 'a command is missing', { code: 'bad_request' });
  const cwd = typeof body.cwd === 'string' ? body.cwd : workdir;
  const argv = [name, ...args] as const;
  const process = box.spawn({
    argv: account.knobs.enforceLimits ? onProcessors(vcpus, argv) : argv,
    cwd,
    env: (body.env ?? {}) as Record<string, string>,
  });
  process.stdin.end();
  const command: Command = {
    id: newId('cmd'),
    name,
    args,
    cwd,
    sessionId: session.id,
    startedAt: account.now(),
    process,
    finished: finish(process, (exitCode) => {
      command.exitCode = exitCode;
    }),
    exitCode: null,
  };
  session.commands.set(command.id, command);
  if (typeof body.timeout === 'number') {
    const end = setTimeout(() => process.kill(), body.timeout);
    void process.exited.then(() => clearTimeout(end));
  }
  return command;
}

async function finish(process: BoxProcess, told: (exitCode: number) => void): Promise<void> {
  const end = await process.exited;
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    process.closed,
    new Promise((resolve) => {
      timer = setTimeout(resolve, drainMs);
    }),
  ]);
  clearTimeout(timer);
  told(end.exitCode ?? 128 + (end.signal === null ? 0 : constants.signals[end.signal]));
}

/** Both streams as they come, until they end or the command has finished. */
async function sayLogs(command: Command, say: (value: unknown) => Promise<boolean>): Promise<void> {
  const over = new AbortController();
  void command.finished.then(() => over.abort());
  const follow = async (stream: 'stdout' | 'stderr') => {
    const log = command.process[stream];
    const decoder = new StringDecoder('utf8');
    let at = 0;
    for (;;) {
      await log.beyond(at, over.signal);
      const chunk = log.read(at);
      at += chunk.length;
      const data = chunk.length > 0 ? decoder.write(chunk) : decoder.end();
      if (data !== '' && !(await say({ stream, data }))) return;
      if (chunk.length === 0) return;
    }
  };
  await Promise.all([follow('stdout'), follow('stderr')]);
}

export async function describeCommand(account: Account, exchange: Exchange, sessionId: string, id: string): Promise<void> {
  const command = findCommand(account, sessionId, id);
  if (exchange.url.searchParams.get('wait') === 'true') await command.finished;
  await exchange.reply(200, { command: commandJson(command) });
}

export async function commandLogs(account: Account, exchange: Exchange, sessionId: string, id: string): Promise<void> {
  const command = findCommand(account, sessionId, id);
  const stream = await exchange.stream(200, ndjson);
  await sayLogs(command, (value) => stream.write(Buffer.from(`${JSON.stringify(value)}\n`)));
  stream.end();
}

export async function killCommand(account: Account, exchange: Exchange, sessionId: string, id: string): Promise<void> {
  const { signal } = await exchange.json();
  const command = findCommand(account, sessionId, id);
  const name = signalNames.get(Number(signal));
  if (name === undefined) throw new HttpProblem(400, `no signal ${String(signal)}`, { code: 'bad_request' });
  command.process.kill(name);
  await exchange.reply(200, { command: commandJson(command) });
}

function findCommand(account: Account, sessionId: string, id: string): Command {
  const command = account.live(sessionId).session.commands.get(id);
  if (command === undefined) throw new HttpProblem(404, `there is no command ${id}`, { code: 'not_found' });
  return command;
}
