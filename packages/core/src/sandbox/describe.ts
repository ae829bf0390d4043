import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import type { DriverPlacement, Placement, Warning } from '../contract/index.js';
import { looksSecret } from '../engine/forwarding.js';
import type { SandboxCore } from './core.js';

/** Puts together what the driver knows of its place and what the engine knows of the way there. */
export async function describePlacement(core: Omit<SandboxCore, 'placement'>): Promise<Placement> {
  const [place, facts] = await Promise.all([core.driver.placement(), core.runner.facts()]);
  const shell = facts.bash ? ({ path: facts.bash, kind: 'bash' } as const) : ({ path: '/bin/sh', kind: 'sh' } as const);
  return {
    backend: core.backend.name,
    sandbox: core.driver.ref.name,
    ...place,
    user: place.user ?? (await userInside(core, facts.uid)),
    shell,
    workdir: core.driver.workdir ?? facts.directory,
    home: facts.home,
    forwarded: forwardedNames(core, place),
    agent: { machine: hostname(), kind: agentKind(core.host.env) },
    warnings: [...place.warnings, ...warnings(core, place)],
  };
}

function forwardedNames(core: Pick<SandboxCore, 'forwarded'>, place: DriverPlacement): readonly string[] {
  return [...new Set([...core.forwarded, ...(place.forwarded ?? [])])];
}

async function userInside(core: Pick<SandboxCore, 'operator'>, uid: number | null): Promise<Placement['user']> {
  const { stdout } = await core.operator.operate('id -un 2>/dev/null || id -u', []);
  return { name: stdout.toString('utf8').trim() || String(uid ?? ''), uid };
}

function agentKind(env: Readonly<Record<string, string | undefined>>): Placement['agent']['kind'] {
  if (env.CI && env.CI !== 'false') return 'ci';
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv') ? 'container' : 'host';
}

function warnings(core: Pick<SandboxCore, 'forwarded'>, place: DriverPlacement): Warning[] {
  const found: Warning[] = forwardedNames(core, place)
    .filter(looksSecret)
    .map((name) => ({
      id: 'env.secret',
      message: `the variable ${name} looks like a secret and is forwarded to every command`,
      remedy: `Stop forwarding ${name} unless commands need it.`,
    }));
  for (const mount of place.isolation === 'none' ? [] : place.mounts) {
    if (/(^|\/)(docker|podman|containerd)\.sock$/.test(mount.source)) {
      found.push({
        id: 'mount.docker-socket',
        message: `${mount.source} is mounted: whoever holds it controls the machine`,
        remedy: 'Do not mount it.',
      });
    } else if (mount.access === 'read-write' && (mount.source === '/' || /^\/(home|Users|root)(\/[^/]+)?\/?$/.test(mount.source))) {
      found.push({ id: 'mount.wide', message: `${mount.source} is mounted writable`, remedy: 'Mount the project alone, or read-only.' });
    }
  }
  return found;
}
