import { existsSync } from 'node:fs';
import type { Exchange } from '../core/index.js';
import { daemonProblem, proxyProblem } from './problem.js';
import type { Sandbox } from './sandbox.js';

interface ExecuteBody {
  command?: string;
  cwd?: string;
  timeout?: number;
  envs?: Record<string, string>;
}

/** `POST /process/execute`: the text goes to a shell's stdin; both streams come back as one, as text. */
export async function execute({ box }: Sandbox, exchange: Exchange): Promise<void> {
  const { command = '', cwd = box.tree.workdir, timeout, envs } = (await exchange.json()) as ExecuteBody;
  if (command.trim() === '') throw daemonProblem(400, 'empty command');
  if (!existsSync(box.tree.locate(cwd))) return exchange.reply(200, { exitCode: -1, result: '' });
  const process = box.spawn({ argv: ['/bin/sh', '-c', 'exec bash --norc 2>&1'], cwd, env: envs });
  process.stdin.end(`${command}\n`);
  let late = false;
  const expire = () => {
    late = true;
    process.kill();
  };
  const timer = timeout && timeout > 0 ? setTimeout(expire, timeout * 1000) : undefined;
  const end = await process.closed;
  clearTimeout(timer);
  const result = process.stdout.read(0, Number.MAX_SAFE_INTEGER).toString('utf8');
  box.forget(process);
  if (!box.up) throw proxyProblem(502, 'bad gateway: the sandbox has stopped');
  if (late) throw daemonProblem(408, 'command execution timeout', 'PROCESS_EXECUTION_TIMEOUT');
  // What the daemon sees of a shell that a signal ended.
  await exchange.reply(200, { exitCode: end.exitCode ?? -1, result });
}
