import type { SshOptions } from '@petasos/backend-ssh';
import { type Endpoint, type FaultProxy, need, type SshServerInfo, type SshUser, startFaultProxy } from '@petasos/testbed';

export const sshd = await need('sshd');

/** Where a server or a proxy in front of it listens. */
export function portOf(address: Endpoint): number {
  if ('port' in address) return address.port;
  throw new Error('not a TCP address');
}

/** Options to log in with the plain key, on files of the test alone. */
export function loginOptions(server: Pick<SshServerInfo, 'host' | 'port'>, user: SshUser, others: Partial<SshOptions> = {}): SshOptions {
  return {
    host: server.host,
    port: server.port,
    user: user.name,
    key: sshd.keys.plain,
    agent: false,
    configFile: false,
    hostKeys: 'off',
    knownHosts: ['/dev/null'],
    ...others,
  };
}

export function proxyTo(server: SshServerInfo): Promise<FaultProxy> {
  return startFaultProxy({ upstream: { host: server.host, port: server.port } });
}

/** A ProxyCommand that goes by way of `server`, with the client that everybody has. */
export function relayThrough(server: SshServerInfo, user: SshUser): string {
  const quiet = '-F none -o LogLevel=ERROR -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null';
  return `ssh ${quiet} -i ${sshd.keys.plain} -p ${server.port} -W %h:%p ${user.name}@${server.host}`;
}
