import type { DockerOptions } from '../options.js';

/**
 * What package managers cannot do without: changing owners and modes, becoming the user that downloads, storing capabilities of
 * files. `KILL`, because whoever ends a command must be able to end what it started as another user.
 */
const kept = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'SETGID', 'SETUID', 'SETFCAP', 'KILL'];

export function hardening(options: DockerOptions): object {
  return {
    CapDrop: ['ALL'],
    CapAdd: [...kept, ...(options.capAdd ?? []).map(capabilityName)],
    SecurityOpt: options.allowNewPrivileges || options.snapCompat ? [] : ['no-new-privileges'],
    Init: !options.snapCompat,
    Privileged: options.privileged ?? false,
  };
}

function capabilityName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}

/** Capabilities that were added to those that every sandbox keeps. */
export function addedCapabilities(capAdd: readonly string[]): string[] {
  return capAdd.map(capabilityName).filter((name) => !kept.includes(name));
}
