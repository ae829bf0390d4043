import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Where a person's own files of Petasos are, after the XDG base directory specification. */
export interface UserPaths {
  readonly configDirectory: string;
  readonly configFile: string;
  /** Secrets and variables beside the configuration. */
  readonly envFile: string;
  readonly stateDirectory: string;
  /** Which projects were trusted. */
  readonly trustFile: string;
  /** Backends that were added for this user: a directory with its own `node_modules`. */
  readonly pluginDirectory: string;
}

export function userPaths(env: Readonly<Record<string, string | undefined>>): UserPaths {
  const home = env.HOME !== undefined && isAbsolute(env.HOME) ? env.HOME : homedir();
  // The specification asks to ignore relative values.
  const base = (name: string, fallback: string) => {
    const value = env[name];
    return value !== undefined && isAbsolute(value) ? value : join(home, fallback);
  };
  const configDirectory = join(base('XDG_CONFIG_HOME', '.config'), 'petasos');
  const stateDirectory = join(base('XDG_STATE_HOME', '.local/state'), 'petasos');
  return {
    configDirectory,
    configFile: join(configDirectory, 'config.yaml'),
    envFile: join(configDirectory, '.env'),
    stateDirectory,
    trustFile: join(stateDirectory, 'trusted.json'),
    pluginDirectory: join(base('XDG_DATA_HOME', '.local/share'), 'petasos', 'plugins'),
  };
}
