import type { HostInfo } from '@petasos/core/backend';
import { localMachine } from './machine/local.js';
import { behind, type Machine } from './machine/machine.js';
import type { SingularityOptions } from './options.js';
import type { StartContext } from './runtime.js';
import { type Site, visit } from './site.js';

/** The machine that the options mean: this one or one on the way, with the launcher's words in front. To be closed. */
export async function siteOf(options: SingularityOptions, env: HostInfo['env'], context: StartContext = {}): Promise<Site> {
  const machine = behind(await machineOf(options, env, context), options.launcher);
  try {
    return await visit(machine, options);
  } catch (error) {
    machine.close();
    throw error;
  }
}

async function machineOf(options: SingularityOptions, env: HostInfo['env'], context: StartContext): Promise<Machine> {
  if (options.ssh === undefined) return localMachine(env);
  const { sshMachine } = await import('./machine/ssh.js');
  return sshMachine(options.ssh, env, context);
}

export async function withSite<T>(
  options: SingularityOptions,
  env: HostInfo['env'],
  action: (site: Site) => Promise<T>,
  context?: StartContext,
): Promise<T> {
  const site = await siteOf(options, env, context);
  try {
    return await action(site);
  } finally {
    site.machine.close();
  }
}

/** The way to the machine belongs to what comes of the action; when nothing does, it is let go of. */
export async function keepOrClose<T>(site: Site, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    site.machine.close();
    throw error;
  }
}
