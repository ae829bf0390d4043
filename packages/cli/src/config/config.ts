import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Context } from '../session/context.js';
import { backendNameOf, vocabulary } from './vocabulary.js';

/** Strongest first. A project's file has no say until its project is trusted, so nothing is read from it. */
export type Layer = 'flag' | 'environment' | 'user' | 'default';

export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly layer: Layer;
  /** `~/.config/petasos/config.yaml:3`, a variable's name, an option: where a person changes it. */
  readonly where: string;
  /** What is wrong with the value of a variable; raised only when the setting is used. */
  readonly problem?: string | undefined;
}

export interface Config {
  /** Every setting that has a value, one a key, in the order of the vocabulary. */
  readonly settings: readonly Setting[];
  readonly notices: readonly string[];
  get(key: string): Setting | undefined;
}

const defaults: readonly Setting[] = [{ key: 'sandbox', value: 'local', layer: 'default', where: 'default' }];

/**
 * The configuration that holds for this invocation.
 * @throws CliError naming file, line and key when the user's file is broken
 */
export async function loadConfig(context: Context): Promise<Config> {
  const notices: string[] = [];
  const layers = [flagSettings(context), await environmentSettings(context.env, notices), await userSettings(context, notices), defaults];
  const merged = new Map<string, Setting>();
  for (const layer of layers) for (const setting of layer) if (!merged.has(setting.key)) merged.set(setting.key, setting);
  const order = new Map(vocabulary.map(({ key }, index) => [key, index]));
  const rank = (key: string) => order.get(key) ?? order.size;
  const settings = [...merged.values()].sort((a, b) => rank(a.key) - rank(b.key) || a.key.localeCompare(b.key));
  return { settings, notices, get: (key) => merged.get(canonicalKey(key)) };
}

/** `terminal.backend` is the long form of `sandbox`. */
export function canonicalKey(key: string): string {
  return key === 'terminal.backend' ? 'sandbox' : key;
}

function canonical(setting: Setting): Setting {
  const key = canonicalKey(setting.key);
  return key === 'sandbox' && typeof setting.value === 'string' ? { ...setting, key, value: backendNameOf(setting.value) } : setting;
}

function flagSettings(context: Context): readonly Setting[] {
  return context.sandbox === undefined ? [] : [canonical({ key: 'sandbox', value: context.sandbox, layer: 'flag', where: '--sandbox' })];
}

async function environmentSettings(env: Context['env'], notices: string[]): Promise<Setting[]> {
  const present = vocabulary.filter(({ variable }) => variable !== undefined && (env[variable] ?? '') !== '');
  if (present.length === 0) return [];
  const { fromVariable } = await import('./values.js');
  return present.map((entry) => {
    const where = entry.variable ?? '';
    const checked = fromVariable(entry, env[where] ?? '');
    const base = { key: entry.key, layer: 'environment', where } as const;
    if ('problem' in checked) return { ...base, value: undefined, problem: checked.problem };
    if (checked.notice !== undefined) notices.push(`${where} ${checked.notice}`);
    return canonical({ ...base, value: checked.value });
  });
}

async function userSettings(context: Context, notices: string[]): Promise<Setting[]> {
  // The YAML reader costs more than everything else here, so it is loaded only when there is a file.
  if (!(await exists(context.paths.configFile))) return [];
  const { readConfigFile } = await import('./file.js');
  const file = await readConfigFile(context.paths.configFile);
  if (file === undefined) return [];
  notices.push(...file.notices);
  return file.settings.map(({ key, value, line }) => canonical({ key, value, layer: 'user', where: `${file.path}:${line}` }));
}

/** Anything but a plain "not there" counts as there, so that reading it says what is wrong. */
async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => !(error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')),
  );
}

/** A project's file that is passed over, nearest first; undefined when there is none. */
export async function projectFile(cwd: string): Promise<string | undefined> {
  for (let directory = cwd; ; directory = dirname(directory)) {
    const path = join(directory, 'petasos.yaml');
    if (await exists(path)) return path;
    if (directory === dirname(directory)) return undefined;
  }
}
