import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { PetasosError } from '@petasos/core/backend';

type HostEnv = Readonly<Record<string, string | undefined>>;

/** One section of Modal's own configuration file, as its CLI writes it. */
export interface Profile {
  readonly file: string;
  readonly name: string;
  readonly values: Readonly<Record<string, string>>;
}

/** `$MODAL_CONFIG_PATH`, or `~/.modal.toml`. */
function configFile(env: HostEnv): string {
  return env.MODAL_CONFIG_PATH || path.join(env.HOME || homedir(), '.modal.toml');
}

/**
 * The section that is asked for, by option or by `MODAL_PROFILE`, or else the active one. Undefined where there is none.
 * @throws `invalid-options` for a file that is no TOML, or a section that was asked for and is not there.
 */
export async function readProfile(wanted: string | undefined, env: HostEnv): Promise<Profile | undefined> {
  const file = configFile(env);
  const name = wanted ?? (env.MODAL_PROFILE || undefined);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if ((code !== 'ENOENT' && code !== 'ENOTDIR') || wanted !== undefined)
      throw problem(`${file} cannot be read (${code})`, 'Make it readable, or take the option profile away.', cause);
    return undefined;
  }
  const sections = await parse(file, text);
  const found = name === undefined ? Object.entries(sections).find(([, values]) => values.active === 'true')?.[0] : name;
  if (found === undefined) return undefined;
  const values = Object.hasOwn(sections, found) ? sections[found] : undefined;
  if (values === undefined) throw problem(`${file} has no profile ${found}`, 'Name one that it has, or run modal token set.');
  return { file, name: found, values };
}

async function parse(file: string, text: string): Promise<Record<string, Record<string, string>>> {
  const toml = await import('smol-toml');
  let root: Record<string, unknown>;
  try {
    root = toml.parse(text);
  } catch {
    // The parser's own message quotes the file, which holds the token.
    throw problem(`${file} is not valid TOML`, 'Mend it, or run modal token set.');
  }
  const sections: Record<string, Record<string, string>> = {};
  for (const [name, section] of Object.entries(root)) {
    if (typeof section !== 'object' || section === null) continue;
    sections[name] = Object.fromEntries(Object.entries(section).map(([key, value]) => [key, String(value)]));
  }
  return sections;
}

function problem(message: string, remedy: string, cause?: unknown): PetasosError {
  return new PetasosError('invalid-options', `modal: ${message}`, { backend: 'modal', operation: 'credentials', remedy, cause });
}
