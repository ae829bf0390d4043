import type { Config, Setting } from './config.js';
import { configError } from './config-error.js';
import { containers, parseBackendOption, vocabulary } from './vocabulary.js';

/** What the configuration says about sessions in one backend. Absent: nothing was configured. */
export interface SessionSettings {
  /** The backend's own options; its schema judges them. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Which setting an option came from, for the message when the schema refuses it. */
  readonly optionSettings: ReadonlyMap<string, Setting>;
  readonly cwd: string | undefined;
  readonly timeoutMs: number | undefined;
  readonly idleLimitMs: number | undefined;
  readonly graceMs: number | undefined;
  readonly envPassthrough: readonly string[];
  /** What was configured and does not hold here. */
  readonly notices: readonly string[];
}

/** Words that stand for "the place's own directory". */
const ownDirectory: ReadonlySet<string> = new Set(['', '.', 'auto', 'cwd']);

/**
 * Reads what concerns this backend; what is meant for others is left alone, wrong or not, because one file serves all.
 * @throws CliError when a variable that concerns it has a value of the wrong kind
 */
export function sessionSettings(config: Config, backend: string): SessionSettings {
  const optionSettings = backendOptionSettings(config, backend);
  const seconds = (key: string) => {
    const value = settingValue(config, key);
    return typeof value === 'number' ? Math.round(value * 1000) : undefined;
  };
  const cwd = workingDirectory(config, backend);
  const passthrough = settingValue(config, 'terminal.env_passthrough');
  const timeoutMs = seconds('terminal.timeout');
  return {
    options: Object.fromEntries([...optionSettings].map(([option, setting]) => [option, usable(setting)])),
    optionSettings,
    cwd: cwd.directory,
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    idleLimitMs: seconds('terminal.lifetime_seconds'),
    graceMs: seconds('terminal.daemon_term_grace_seconds'),
    envPassthrough: Array.isArray(passthrough) ? passthrough.filter((name) => typeof name === 'string') : [],
    notices: cwd.notice === undefined ? [] : [cwd.notice],
  };
}

/** A directory of the host, which one file for all places may name, is not looked for in a container. */
const hostDirectory = /^(?:\/Users\/|\/home\/|[A-Za-z]:[\\/]|(?![/~]))/;

function workingDirectory(config: Config, backend: string): { readonly directory: string | undefined; readonly notice?: string } {
  const value = settingValue(config, 'terminal.cwd');
  if (typeof value !== 'string' || ownDirectory.has(value)) return { directory: undefined };
  if (!containers.has(backend) || !hostDirectory.test(value)) return { directory: value };
  const where = config.get('terminal.cwd')?.where ?? '';
  return { directory: undefined, notice: `${where}: terminal.cwd ${value} is a directory of the host; ${backend} starts in its own` };
}

function backendOptionSettings(config: Config, backend: string): Map<string, Setting> {
  const found = new Map<string, Setting>();
  for (const { key, effect } of vocabulary) {
    if (effect.kind !== 'option' || !effect.backends.includes(backend)) continue;
    const setting = config.get(key);
    if (setting !== undefined && !meansNoLimit(key, setting)) found.set(effect.option, setting);
  }
  for (const setting of config.settings) {
    const own = parseBackendOption(setting.key);
    if (own?.backend === backend) found.set(own.option, setting);
  }
  return found;
}

/** Zero CPUs or bytes would be no container at all: in these keys it means that there is no limit. */
function meansNoLimit(key: string, setting: Setting): boolean {
  return key.startsWith('terminal.container_') && setting.value === 0;
}

function settingValue(config: Config, key: string): unknown {
  const setting = config.get(key);
  return setting === undefined ? undefined : usable(setting);
}

function usable(setting: Setting): unknown {
  if (setting.problem !== undefined)
    throw configError(`${setting.where}: ${setting.problem}`, `It stands for ${setting.key}. Correct it or unset it.`);
  return setting.value;
}
