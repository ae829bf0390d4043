import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuleSet } from '@petasos/core/approvals';
import type { Context } from './context.js';

/** The rule files of this user: `rules.yaml`, then `rules/*.yaml` and `rules/*.json` by name. */
async function ruleFiles({ paths }: Context): Promise<readonly string[]> {
  const { configDirectory } = paths;
  const top = (await names(configDirectory)).filter((name) => /^rules\.(?:ya?ml|json)$/.test(name));
  const more = (await names(rulesDirectory(paths))).filter((name) => /^[^.].*\.(?:ya?ml|json)$/.test(name)).sort();
  return [...top.map((name) => join(configDirectory, name)), ...more.map((name) => join(rulesDirectory(paths), name))];
}

export function rulesDirectory({ configDirectory }: Context['paths']): string {
  return join(configDirectory, 'rules');
}

export async function loadUserRules(context: Context): Promise<readonly RuleSet[]> {
  const files = await ruleFiles(context);
  if (files.length === 0) return [];
  const { judge, loadRules } = await import('@petasos/core/approvals');
  return Promise.all(files.map((file) => loadRules(file, { tier: 'user', judge })));
}

/** A directory that is not there has nothing in it; one that cannot be read is an error, since a rule in it may deny. */
async function names(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
