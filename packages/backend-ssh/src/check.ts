import { type CheckFinding, type HostInfo, isPetasosError } from '@petasos/core/backend';
import { connectionsTo, describeTarget, type SshConnections, type SshTarget } from './connection/index.js';
import type { SshOptions } from './options.js';
import { localWarnings } from './placement.js';

/** What `doctor` tells about the way to the server. Nothing is written: an unknown host stays unknown. */
export async function checkServer(options: SshOptions, host: HostInfo): Promise<readonly CheckFinding[]> {
  let connections: SshConnections;
  let target: SshTarget;
  try {
    const usual = await connectionsTo(options, host.env);
    usual.release();
    ({ target } = usual);
    connections = await connectionsTo({ ...options, hostKeys: 'strict' }, host.env, { askSecret: host.askSecret });
  } catch (error) {
    return [failed('ssh.configuration', error)];
  }
  const passed = target.jumps.map(describeTarget);
  if ((target.jumps[0] ?? target).proxyCommand !== undefined) passed.unshift('a ProxyCommand');
  const way = passed.length === 0 ? '' : ` by way of ${passed.join(', ')}`;
  const findings: CheckFinding[] = [{ id: 'ssh.configuration', status: 'ok', message: `commands run at ${describeTarget(target)}${way}` }];
  for (const { id, message, remedy } of await localWarnings(target)) findings.push({ id, status: 'warning', message, remedy });
  try {
    const roundTripMs = await connections.ping(target.connectTimeoutMs);
    findings.push({ id: 'ssh.login', status: 'ok', message: `logged in; an answer takes ${roundTripMs.toFixed(1)} ms` });
    findings.push(await shell(connections));
    findings.push(await subsystem(connections));
  } catch (error) {
    findings.push(unknownHost(target, error) ?? failed('ssh.login', error));
  } finally {
    connections.release();
  }
  return findings;
}

async function shell(connections: SshConnections): Promise<CheckFinding> {
  const { stdout } = await connections.run('command -v bash || command -v sh');
  const path = stdout.toString('utf8').trim();
  return { id: 'ssh.shell', status: 'ok', message: `commands run under ${path}` };
}

async function subsystem(connections: SshConnections): Promise<CheckFinding> {
  const message = (await connections.files()) === undefined ? 'no SFTP: files travel as commands do' : 'files travel by SFTP';
  return { id: 'ssh.files', status: 'ok', message };
}

/** What a command would get over, as the settings are; undefined for anything else. */
function unknownHost({ hostKeys }: SshTarget, error: unknown): CheckFinding | undefined {
  if (hostKeys === 'strict' || !isPetasosError(error, 'host-key') || error.data['reason'] !== 'unknown') return undefined;
  const { host, fingerprint } = error.data;
  return {
    id: 'ssh.login',
    status: 'warning',
    message: `the host key of ${String(host)}, ${String(fingerprint)}, is not known yet`,
    remedy: `Compare it with what the owner of the machine says: ${hostKeys === 'off' ? 'any key is taken, and none remembered' : 'the first command remembers it'}.`,
  };
}

function failed(id: string, error: unknown): CheckFinding {
  if (!isPetasosError(error)) throw error;
  return { id, status: 'failed', message: error.message, remedy: error.remedy ?? 'Look at the settings of ssh.' };
}
