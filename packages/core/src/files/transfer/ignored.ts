import ignore from 'ignore';

/** Whether a path below the tree's root is left out, in gitignore's sense. Names that are not UTF-8 are matched as they show. */
export type Ignored = (path: string, isDirectory: boolean) => boolean;

export function ignoredBy(patterns: readonly string[] | undefined): Ignored {
  if (patterns === undefined || patterns.length === 0) return () => false;
  const rules = ignore().add([...patterns]);
  return (path, isDirectory) => rules.ignores(isDirectory ? `${path}/` : path);
}
