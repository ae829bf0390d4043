import { contains } from './paths.js';
import { type JudgeContext, type Reach, strictest, type Verdict } from './verdict.js';

/** Names that are given to every command and open nothing. */
const harmlessNames =
  /^(PATH|HOME|USER|LOGNAME|SHELL|TERM|COLORTERM|LANG|LC_\w+|TZ|CI|PWD|TMPDIR|NO_COLOR|FORCE_COLOR|NODE_ENV|DEBUG|EDITOR|PAGER)$/;

/** What an effect means in the place of the context: some of what is dangerous on a person's machine is nothing in a throwaway container. */
export function inPlace(judged: Verdict, reach: Reach, paths: readonly string[] | undefined, context: JudgeContext): Verdict {
  if (judged === 'allow' || !context.isolated) return judged;
  switch (reach) {
    case 'filesystem':
      return inFilesystem(judged, paths, context);
    case 'processes':
      return context.storage === 'ephemeral' ? 'allow' : 'ask';
    case 'network':
      return context.network === 'none' ? 'allow' : judged;
    case 'remote-service':
    case 'credentials':
      return reachesOut(context) ? judged : 'allow';
    case 'anything':
      return strictest(inFilesystem(judged, paths, context), reachesOut(context) ? judged : 'allow');
    case 'host':
      return judged;
  }
}

function inFilesystem(judged: Verdict, paths: readonly string[] | undefined, context: JudgeContext): Verdict {
  const mounts = (context.mounts ?? []).filter((mount) => mount.access === 'read-write');
  if (mounts.length > 0) {
    if (!paths || paths.length === 0) return judged;
    const touches = paths.some((path) => mounts.some((mount) => contains(mount.target, path) || contains(path, mount.target)));
    if (touches) return judged;
  }
  return context.storage === 'ephemeral' ? 'allow' : 'ask';
}

/** Something of the user's is within the place and there is a way out. */
function reachesOut(context: JudgeContext): boolean {
  if (context.network === 'none') return false;
  return (context.forwarded ?? []).some((name) => !harmlessNames.test(name));
}
