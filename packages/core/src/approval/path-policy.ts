import type { Report } from './findings.js';
import { canMatch, hasGlob, hasUnknown, show } from './marks.js';
import { basename, contains, dirname, emptied, isKnownPath } from './paths.js';
import {
  accountFiles,
  anyBlockDevice,
  blockDevice,
  harmlessDevice,
  kernelFile,
  notSecret,
  regenerable,
  runsLater,
  secretFile,
  secretTree,
  startupElsewhere,
  startupFile,
  startupTree,
  systemRoots,
  systemTrees,
  temporaryTrees,
} from './places.js';
import type { JudgeContext } from './verdict.js';

const projectOf = (context: JudgeContext): string => context.project ?? context.cwd;

const known = (path: string): readonly string[] => (path.startsWith('/') ? [show(path)] : []);

/** A whole home directory: one's own, `/home/name`, `/Users/name`, `/root`. */
function isHome(path: string, context: JudgeContext): boolean {
  return path === context.home || path === '/root' || /^\/(?:home|Users)\/[^/]+$/.test(path);
}

/** Whether a path, or a pattern in it, is or can be a directory that nothing brings back. */
export function isCatastrophic(path: string, context: JudgeContext): boolean {
  if (!path.startsWith('/')) return false;
  const all = emptied(path);
  if (all !== undefined && !hasUnknown(all) && isCatastrophic(all, context)) return true;
  if (context.platform === 'darwin' && /[A-Z]/.test(path) && isCatastrophic(path.toLowerCase(), { ...context, platform: 'linux' }))
    return true;
  if (isHome(path, context) || systemRoots.has(path)) return true;
  if (!hasGlob(path)) return false;
  for (const root of systemRoots) if (matchesByComponent(path, root)) return true;
  return matchesByComponent(path, context.home);
}

function matchesByComponent(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  return wanted.length === parts.length && wanted.every((part, index) => canMatch(part, parts[index] as string));
}

/** The layer's own files, and directories above them, which would take them along. */
function isProtected(path: string, context: JudgeContext, above: boolean): boolean {
  for (const own of context.protectedPaths ?? []) {
    if (contains(own, path)) return true;
    if (above && contains(path, own) && path !== '/') return true;
    if (path.toLowerCase() !== path && contains(own.toLowerCase(), path.toLowerCase())) return true;
    if (hasGlob(path) && own.startsWith(dirname(path).split(/[\uE000-\uE005]/)[0] ?? '\0') && matchesByComponent(path, own)) return true;
  }
  return false;
}

const ownFiles = (path: string): Report => ({
  rule: 'self.protected',
  verdict: 'deny',
  reach: 'host',
  reason: 'It changes files that decide what Petasos allows; only a person may do that, outside of a sandbox.',
  paths: known(path),
});

const isTemporary = (path: string): boolean => temporaryTrees.some((tree) => contains(tree, path) && path !== tree);

export function judgeDeletion(path: string, recursive: boolean, context: JudgeContext, cwd: string | undefined): Report | undefined {
  if (isProtected(path, context, recursive)) return ownFiles(path);
  if (blockDevice.test(path) || accountFiles.has(path) || (recursive && isCatastrophic(path, context))) {
    return {
      rule: recursive ? 'fs.delete-root' : 'fs.delete-system',
      verdict: 'deny',
      reach: 'filesystem',
      reason: `It deletes ${show(path)}, which nothing brings back.`,
      paths: known(path),
    };
  }
  if (recursive) return deletesTree(path, context, cwd);
  const project = projectOf(context);
  const reason = !isKnownPath(path)
    ? 'It deletes files whose path cannot be known beforehand.'
    : /\/\.git(?:\/|$)/.test(path)
      ? 'It deletes files of a git repository itself.'
      : !contains(project, path) && !isTemporary(path) && !(cwd && contains(cwd, path) && contains(context.home, cwd))
        ? `It deletes a file outside of the project: ${show(path)}.`
        : emptied(path) !== undefined
          ? `It deletes every file in ${show(dirname(path))}.`
          : undefined;
  return reason === undefined
    ? undefined
    : { rule: 'fs.delete', reach: 'filesystem', reason, paths: known(path), durable: isKnownPath(path) && !hasGlob(path) };
}

function deletesTree(path: string, context: JudgeContext, cwd: string | undefined): Report {
  const project = projectOf(context);
  const inside = contains(project, path) && path !== project && path !== cwd;
  const rebuilt = inside && regenerable.test(basename(path));
  return {
    rule: 'fs.delete-recursive',
    reach: 'filesystem',
    reason: !isKnownPath(path)
      ? 'It deletes a directory tree whose path cannot be known beforehand.'
      : rebuilt
        ? `It deletes ${show(path)}, which a build usually makes again.`
        : inside
          ? `It deletes ${show(path)} with everything in it.`
          : path === project || path === cwd
            ? 'It deletes the whole working directory.'
            : `It deletes a directory tree outside of the project: ${show(path)}.`,
    paths: known(path),
    durable: isKnownPath(path) && !hasGlob(path),
  };
}

export function judgeWriting(path: string, context: JudgeContext): Report | undefined {
  if (isProtected(path, context, false)) return ownFiles(path);
  const paths = known(path);
  if (path.startsWith('/dev/')) {
    if (harmlessDevice.test(path)) return undefined;
    if (blockDevice.test(path) || (hasGlob(path) && anyBlockDevice.test(path)))
      return {
        rule: 'sys.write-device',
        verdict: 'deny',
        reach: 'host',
        reason: `It overwrites the device ${show(path)} and what is stored on it.`,
        paths,
      };
    return { rule: 'sys.write-device', reach: 'host', reason: `It writes to the device ${show(path)}.`, paths };
  }
  if (kernelFile.test(path)) {
    return { rule: 'sys.write-kernel', verdict: 'deny', reach: 'host', reason: `It writes to the kernel through ${show(path)}.`, paths };
  }
  if (accountFiles.has(path) || contains('/etc/sudoers.d', path) || contains('/etc/pam.d', path)) {
    return {
      rule: 'sys.write-accounts',
      verdict: 'deny',
      reach: 'filesystem',
      reason: `It overwrites ${show(path)}, which decides who may do what on the machine.`,
      paths,
    };
  }
  if (
    contains('/etc', path) ||
    /^\/\uE000\/etc\//.test(path) ||
    (hasGlob(path) && matchesByComponent(path.split('/').slice(0, 2).join('/'), '/etc'))
  ) {
    return {
      rule: 'sys.write-etc',
      reach: 'filesystem',
      reason: `It writes to ${show(path)}, part of the machine's configuration.`,
      paths,
    };
  }
  if (isStartup(path, context)) {
    return {
      rule: 'persist.write',
      reach: 'filesystem',
      reason: `It writes to ${show(path)}, which other programs run or obey later.`,
      paths,
    };
  }
  if (isTemporary(path) || contains(projectOf(context), path)) return undefined;
  if (systemRoots.has(path) || systemTrees.some((tree) => contains(tree, path))) {
    return { rule: 'sys.write-system', reach: 'filesystem', reason: `It writes to ${show(path)}, which belongs to the system.`, paths };
  }
  if (/^\/(?:home|Users)\/[^/]+\//.test(path) && !contains(context.home, path)) {
    return {
      rule: 'fs.write-other-home',
      reach: 'filesystem',
      reason: `It writes into the home directory of someone else: ${show(path)}.`,
      paths,
    };
  }
  return undefined;
}

/** Startup files, hooks, keys and configuration that run or are obeyed later. */
function isStartup(path: string, context: JudgeContext): boolean {
  if (runsLater.test(`/${path}`)) return true;
  const home = contains(context.home, path) ? context.home : /^\/(?:home|Users)\/[^/]+|^\/root/.exec(path)?.[0];
  const relative = home ? path.slice(home.length + 1) : hasUnknown(path) ? path.slice(path.indexOf('/') + 1) : undefined;
  if (relative === undefined || relative === '') return false;
  return startupFile.test(relative) || startupTree.test(relative) || startupElsewhere.test(relative);
}

export function judgeReading(path: string): Report | undefined {
  if (!isSecret(path)) return undefined;
  return {
    rule: 'secret.read',
    reach: 'credentials',
    reason: `It shows or sends ${show(path)}, which usually holds secrets.`,
    paths: known(path),
  };
}

export function isSecret(path: string): boolean {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  if (notSecret.test(rooted)) return false;
  if (secretFile.test(rooted) || /^\/proc\/[^/]+\/environ$/.test(rooted) || secretTree.test(rooted)) return true;
  const all = emptied(rooted);
  return all !== undefined && secretTree.test(all);
}

/** Recursive change of owner or mode, or of one file that matters. */
export function judgePermission(path: string, recursive: boolean, context: JudgeContext): Report | undefined {
  if (isProtected(path, context, true)) return ownFiles(path);
  const paths = known(path);
  if (blockDevice.test(path) || accountFiles.has(path) || (recursive && isCatastrophic(path, context)) || path === '/') {
    return {
      rule: 'perm.system',
      verdict: 'deny',
      reach: 'filesystem',
      reason: `It changes who may use ${show(path)} and all that depends on it.`,
      paths,
    };
  }
  if (isCatastrophic(path, context) || contains('/etc', path) || systemTrees.some((tree) => contains(tree, path) && !isTemporary(path))) {
    return {
      rule: 'perm.system',
      reach: 'filesystem',
      reason: `It changes who may use ${show(path)}, which belongs to the system.`,
      paths,
    };
  }
  return undefined;
}
