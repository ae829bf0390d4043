import { writeFileSync } from 'node:fs';
import { isServiceName, type ServiceName, serviceNames } from './services.js';
import { down, status, up } from './testbed.js';

const usage = `usage: pnpm testbed up [--report FILE] [SERVICE …]   start what is missing, wait until it answers
       pnpm testbed down [SERVICE …]                 stop what up started, and nothing else
       pnpm testbed status [--json]
services: ${serviceNames.join(', ')}`;

async function main(argv: readonly string[]): Promise<number> {
  const [verb, ...rest] = argv;
  const report = option(rest, '--report');
  const json = flag(rest, '--json');
  const unknown = rest.filter((name) => !isServiceName(name));
  if (unknown.length > 0 || !['up', 'down', 'status'].includes(verb ?? '')) {
    console.error(unknown.length > 0 ? `no service is called ${unknown.join(', ')}\n${usage}` : usage);
    return 2;
  }
  const names = rest.filter(isServiceName);
  if (verb === 'up') return start(names.length > 0 ? names : serviceNames, report);
  if (verb === 'down') {
    const stopped = await down(names.length > 0 ? names : undefined);
    console.log(stopped.length > 0 ? `stopped ${stopped.join(', ')}` : 'nothing to stop');
    return 0;
  }
  const all = await status();
  if (json) console.log(JSON.stringify(all, null, 2));
  else
    for (const { name, state, processes } of all) console.log(`${name}: ${state}${processes.map((p) => ` · ${p.name} ${p.pid}`).join('')}`);
  return 0;
}

/** One service that cannot start does not keep the others from it. */
async function start(names: readonly ServiceName[], report: string | undefined): Promise<number> {
  const started: ServiceName[] = [];
  const failed: ServiceName[] = [];
  for (const name of names) {
    try {
      const result = await up(name, console.log);
      if (result.started) started.push(name);
      else console.log(`${name} runs already`);
    } catch (error) {
      failed.push(name);
      console.error(`could not start ${name}: ${describe(error)}`);
    }
  }
  if (report !== undefined) writeFileSync(report, JSON.stringify({ started, failed }));
  return failed.length === 0 ? 0 : 1;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
}

function option(args: string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

function flag(args: string[], name: string): boolean {
  const at = args.indexOf(name);
  if (at >= 0) args.splice(at, 1);
  return at >= 0;
}

process.exitCode = await main(process.argv.slice(2));
