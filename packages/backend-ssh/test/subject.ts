import ssh, { type SshOptions } from '@petasos/backend-ssh';
import { defineSubject, type Subject } from '@petasos/core/conformance';
import { clientOf, type SshServerInfo, type SshUser } from '@petasos/testbed';
import { loginOptions, portOf, proxyTo } from './servers.js';

/** A server and one of its users. */
export interface Login {
  readonly server: SshServerInfo;
  readonly user: SshUser;
  readonly others?: Partial<SshOptions>;
}

export function loginTo(server: SshServerInfo | undefined, user: SshUser | undefined): Login {
  if (server === undefined || user === undefined) throw new Error('this machine has no such server or user: only root can make them');
  return { server, user };
}

/** Straight to the server. `module` is the file that exports the subject, for other clients to load. */
export function subjectOf(module: string, { server, user, others }: Login): Subject {
  return defineSubject({ backend: ssh, options: loginOptions(server, user, others), spawnClient: clientOf(module) });
}

/** The same server behind a line that scenarios can spoil. */
export async function behindLine(subject: Subject, { server, user, others }: Login): Promise<Subject> {
  const proxy = await proxyTo(server);
  return {
    ...subject,
    options: loginOptions({ host: '127.0.0.1', port: portOf(proxy.address) }, user, others),
    faults: {
      async cutConnection() {
        proxy.cut();
      },
      // As another client would, on another connection.
      async killPlace({ ref }) {
        await ssh.destroy(loginOptions(server, user), ref, { env: process.env, platform: process.platform });
      },
      async pausePlace() {
        proxy.stall();
        return async () => proxy.resume();
      },
      async delay(_sandbox, ms) {
        proxy.delay(ms / 2);
        return async () => proxy.delay(0);
      },
    },
  };
}
