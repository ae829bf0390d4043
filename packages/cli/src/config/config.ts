import type { Context } from '../session/context.js';
import { describeError } from '../ui/report-error.js';
import type { EnvFile } from './env-file.js';
import { exists } from './exists.js';
import { foreignVariables } from './foreign-keys.js';
import { findProject, type Project } from './project.js';
import { changesNothing, tightens } from './tighten.js';
import { backendNameOf, keyEntry, vocabulary } from './vocabulary.js';

/** Strongest first. A project's file counts only as far as the project is trusted. */
export type Layer = 'flag' | 'environment' | 'project' | 'user' | 'default';

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
  /** The environment of Petasos, and below it the variables of the user's `.env`: where backends find their credentials. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly project: Project | undefined;
  get(key: string): Setting | undefined;
}

const defaults: readonly Setting[] = [{ key: 'sandbox', value: 'local', layer: 'default', where: 'default' }];

/**
 * The configuration that holds for this invocation.
 * @throws CliError naming file, line and key when a file of the user, or of a trusted project, is broken
 */
export async function loadConfig(context: Context): Promise<Config> {
  const notices: string[] = [];
  const envFile = await readUserEnv(context);
  if (envFile !== undefined) notices.push(...envFile.notices);
  const fromFile = Object.fromEntries((envFile?.entries ?? []).map(({ name, value }) => [name, value]));
  const hostEnv = envFile === undefined ? context.env : { ...fromFile, ...context.env };
  const lineOf = new Map((envFile?.entries ?? []).map(({ name, line }) => [name, `${envFile?.path ?? ''}:${line}`]));

  const project = await findProject(context);
  const says = await projectSettings(project, hostEnv, notices);
  const layers = [
    flagSettings(context),
    await variableSettings(context.env, (name) => ({ layer: 'environment', where: name }), notices),
    project?.trust === 'trusted' ? says : [],
    await userSettings(context, hostEnv, notices),
    // Weaker than the file beside it: what stands there as a key was meant, what stands here may be left over.
    await variableSettings(fromFile, (name) => ({ layer: 'user', where: lineOf.get(name) ?? name }), notices),
    defaults,
  ];
  const merged = new Map<string, Setting>();
  for (const layer of layers) for (const setting of layer) if (!merged.has(setting.key)) merged.set(setting.key, setting);
  if (project !== undefined && project.trust !== 'trusted') tightenOnly(project, says, merged, notices);

  const order = new Map(vocabulary.map(({ key }, index) => [key, index]));
  const rank = (key: string) => order.get(key) ?? order.size;
  const settings = [...merged.values()].sort((a, b) => rank(a.key) - rank(b.key) || a.key.localeCompare(b.key));
  return { settings, notices, hostEnv, project, get: (key) => merged.get(canonicalKey(key)) };
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

async function readUserEnv({ paths, env }: Context): Promise<EnvFile | undefined> {
  if (!(await exists(paths.envFile))) return undefined;
  return (await import('./env-file.js')).readEnvFile(paths.envFile, env);
}

async function variableSettings(
  env: Readonly<Record<string, string | undefined>>,
  origin: (name: string) => Pick<Setting, 'layer' | 'where'>,
  notices: string[],
): Promise<Setting[]> {
  for (const [name, why] of Object.entries(foreignVariables)) {
    if ((env[name] ?? '') !== '') notices.push(`${origin(name).where} ${why}`.replace(/^(\S+:\d+) /, `$1: ${name} `));
  }
  const present = vocabulary.filter(({ variable }) => variable !== undefined && (env[variable] ?? '') !== '');
  if (present.length === 0) return [];
  const { fromVariable } = await import('./values.js');
  return present.flatMap((entry): Setting[] => {
    const name = entry.variable ?? '';
    const text = env[name] ?? '';
    const at = origin(name);
    if (entry.effect.kind === 'none') {
      if (text !== String(entry.neutral))
        notices.push(`${at.where === name ? name : `${at.where}: ${name}`} has no effect: ${entry.effect.why}`);
      return [];
    }
    const checked = fromVariable(entry, text);
    if ('problem' in checked) return [{ key: canonicalKey(entry.key), ...at, value: undefined, problem: checked.problem }];
    if (checked.notice !== undefined) notices.push(`${at.where} ${checked.notice}`);
    return [canonical({ key: entry.key, ...at, value: checked.value })];
  });
}

async function userSettings(context: Context, env: Config['hostEnv'], notices: string[]): Promise<Setting[]> {
  // The YAML reader costs more than everything else here, so it is loaded only when there is a file.
  if (!(await exists(context.paths.configFile))) return [];
  return fileSettings(context.paths.configFile, 'user', env, notices);
}

async function fileSettings(path: string, layer: Layer, env: Config['hostEnv'] | undefined, notices: string[]): Promise<Setting[]> {
  const { readConfigFile, withReferences } = await import('./file.js');
  const file = await readConfigFile(path);
  if (file === undefined) return [];
  notices.push(...file.notices);
  return file.settings.map(({ key, value, line }) => {
    const resolved = env === undefined || keyEntry(key)?.verbatim === true ? value : withReferences(value, env);
    return canonical({ key, value: resolved, layer, where: `${file.path}:${line}` });
  });
}

/** What the project's file says. One that nobody trusts must not stop anything either, so that its faults are told only. */
async function projectSettings(project: Project | undefined, env: Config['hostEnv'], notices: string[]): Promise<Setting[]> {
  if (project?.file === undefined) return [];
  if (project.trust === 'trusted') return fileSettings(project.file, 'project', env, notices);
  try {
    // Its references stay as they are: they would read the user's variables.
    return await fileSettings(project.file, 'project', undefined, []);
  } catch (error) {
    notices.push(`${describeError(error).message}; the file is left out, since its project is not trusted`);
    return [];
  }
}

function tightenOnly(project: Project, says: readonly Setting[], merged: Map<string, Setting>, notices: string[]): void {
  const why =
    project.trust === 'changed' ? 'the file has changed since the project was trusted' : 'a project may say this only once it is trusted';
  for (const setting of says) {
    const entry = keyEntry(setting.key);
    const current = merged.get(setting.key);
    if (entry !== undefined && changesNothing(entry, current?.value, setting.value)) continue;
    if (entry !== undefined && tightens(entry, current?.value, setting.value)) merged.set(setting.key, setting);
    else notices.push(`${setting.where}: ${setting.key} is left out: ${why}. Look at the file, then: petasos trust`);
  }
}
