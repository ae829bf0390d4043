import type { Mount } from '@petasos/core/backend';

/** A line of `/proc/PID/mountinfo`. */
interface Entry {
  readonly device: string;
  /** Path, within the file system, of what is mounted. */
  readonly root: string;
  readonly point: string;
  readonly type: string;
}

/** File systems of the kernel or of the container alone: nothing of the machine's files is in them. */
const own =
  /^(?:proc|sysfs|tmpfs|devpts|devtmpfs|mqueue|cgroup2?|overlay|fuse\.fuse-overlayfs|fuse\.squashfuse\S*|squashfs|ramfs|hugetlbfs|securityfs|bpf|debugfs|tracefs)$/;

/**
 * What a container sees of the machine's files. `tables`: the mount tables of the machine and of the container, with an empty line
 * between; `writable`: the container's mount points that the user may write, one a line.
 */
export function hostMounts(tables: string, writable: string): readonly Mount[] {
  const [machine = '', container = ''] = tables.split('\n\n');
  const present = parse(machine);
  const may = new Set(writable.split('\n'));
  return parse(container).flatMap((entry): Mount[] => {
    if (entry.point === '/' || own.test(entry.type)) return [];
    return [{ source: sourceOf(entry, present), target: entry.point, access: may.has(entry.point) ? 'read-write' : 'read-only' }];
  });
}

function parse(table: string): readonly Entry[] {
  return table.split('\n').flatMap((line): Entry[] => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , device = '', root = '', point = ''] = before.split(' ');
    const [type = ''] = after.split(' ');
    return device === '' ? [] : [{ device, root: plain(root), point: plain(point), type }];
  });
}

/** The kernel writes odd characters of a path in octal. */
function plain(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The path that leads to the same files on the machine; the path within the file system where no mount does. */
function sourceOf({ device, root }: Entry, machine: readonly Entry[]): string {
  const below = (parent: string) => root === parent || parent === '/' || root.startsWith(`${parent}/`);
  const [best] = machine
    .filter((entry) => entry.device === device && below(entry.root))
    .sort((a, b) => b.root.length - a.root.length || a.point.length - b.point.length);
  if (best === undefined) return root;
  const rest = best.root === '/' ? root : root.slice(best.root.length);
  return `${best.point === '/' ? '' : best.point}${rest === '/' ? '' : rest}` || '/';
}
