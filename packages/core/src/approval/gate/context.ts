import { posix } from 'node:path';
import type { GateRequest } from '../../contract/gate.js';
import type { Placement } from '../../contract/placement.js';
import type { JudgeContext } from '../verdict.js';

/** What the judge has to know of the place of this request. */
export function judgeContext(request: GateRequest, place: Placement, protectedPaths: readonly string[]): JudgeContext {
  const cwd = absoluteDirectory(request.cwd, place);
  const inProject = cwd.startsWith(`${place.workdir}/`) && place.workdir !== place.home && place.workdir !== '/';
  return {
    place: request.sandbox.backend,
    isolated: place.isolation === 'container' || place.isolation === 'vm',
    cwd,
    home: place.home,
    user: place.user.name,
    storage: place.storage,
    mounts: place.mounts.map(({ target, access }) => ({ target, access })),
    // A value that the caller hands over is within reach of the command like one that is forwarded.
    forwarded: [...place.forwarded, ...Object.keys(request.env)],
    network: place.network.mode,
    protectedPaths,
    shell: place.shell.kind,
    platform: /darwin|macos/i.test(place.machine.os) ? 'darwin' : 'linux',
    ...(inProject ? { project: place.workdir } : {}),
  };
}

function absoluteDirectory(cwd: string | undefined, place: Placement): string {
  if (cwd === undefined || cwd === '') return place.workdir;
  if (cwd === '~' || cwd.startsWith('~/')) return posix.normalize(place.home + cwd.slice(1));
  return posix.resolve(place.workdir, cwd);
}
