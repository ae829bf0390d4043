import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PetasosError } from '@petasos/core/backend';
import type SSHConfig from 'ssh-config';
import type { Line, Section } from 'ssh-config';
import { filesMatching } from './file-pattern.js';

/** The settings of one host, keywords in lower case. Only what may repeat is a list. */
export type HostSettings = Readonly<Record<string, readonly string[]>>;

type Parser = typeof SSHConfig;

const deepestInclude = 16;
/** Keywords of which every value counts, not only the first. */
const repeatable: ReadonlySet<string> = new Set(['identityfile', 'certificatefile']);
/** The parser follows these through a file, in exactly this spelling. */
const tracked: Readonly<Record<string, string>> = { hostname: 'HostName', user: 'User' };

/**
 * What ssh_config files say about a host: for each keyword the first value that applies, files in the given order, as ssh reads them.
 * `Match exec` never applies: reading a configuration runs nothing.
 * @throws `invalid-options` for a file that cannot be read, unless it does not exist.
 */
export async function readSshConfig(files: readonly string[], home: string, host: string, user: string | undefined): Promise<HostSettings> {
  const { default: parser } = await import('ssh-config');
  const reader = new Reader(parser, home, host, user);
  for (const file of files) await reader.read(file, 0);
  return Object.fromEntries(reader.found);
}

class Reader {
  readonly found = new Map<string, string[]>();
  readonly #parser: Parser;
  readonly #home: string;
  readonly #host: string;
  readonly #user: string | undefined;

  constructor(parser: Parser, home: string, host: string, user: string | undefined) {
    this.#parser = parser;
    this.#home = home;
    this.#host = host;
    this.#user = user;
  }

  async read(file: string, depth: number): Promise<void> {
    if (depth > deepestInclude) throw configError(file, 'it includes itself, or too many files in turn');
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return '';
      throw configError(file, 'it cannot be read', error);
    });
    let lines: readonly Line[];
    try {
      lines = this.#parser.parse(text);
    } catch (error) {
      throw configError(file, error instanceof Error ? error.message : String(error), error);
    }
    for (const line of lines) await this.#line(line, undefined, depth);
  }

  /** `section` is the Host or Match line above; what stands below it counts where it matches. */
  async #line(line: Line, section: Section | undefined, depth: number): Promise<void> {
    if (line.type !== this.#parser.DIRECTIVE) return;
    if ('config' in line) {
      // Settings above may decide whether the next section applies, so every line is asked about by itself.
      for (const inner of line.config) await this.#line(inner, line, depth);
    } else if (/^include$/i.test(line.param)) {
      if (this.#applies(section)) for (const file of await this.#included(line)) await this.read(file, depth + 1);
    } else {
      this.#take(this.#compute(section, line));
    }
  }

  #applies(section: Section | undefined): boolean {
    return section === undefined || 'petasosprobe' in this.#compute(section, this.#directive('PetasosProbe', 'yes'));
  }

  /** What this one line means for the host, given what has been found so far. */
  #compute(section: Section | undefined, line: Line): Record<string, string | string[]> {
    const known = Object.entries(tracked).flatMap(([keyword, spelling]) => {
      const value = this.found.get(keyword)?.[0];
      return value === undefined ? [] : [this.#directive(spelling, value)];
    });
    const spelled = 'param' in line ? { ...line, param: tracked[line.param.toLowerCase()] ?? line.param } : line;
    const config = new this.#parser();
    const body = section === undefined ? [spelled] : [{ ...section, config: this.#parser.parse('') }];
    for (const one of body) if ('config' in one) one.config.push(spelled);
    for (const one of [...known, ...body]) config.push(one);
    const computed = config.compute(this.#user === undefined ? { Host: this.#host } : { Host: this.#host, User: this.#user }, {
      ignoreCase: true,
      matchExec: false,
    });
    return computed;
  }

  #directive(param: string, value: string): Line {
    const [line] = this.#parser.parse(`${param} "${value}"`);
    if (line === undefined) throw new TypeError(`the parser made nothing of ${param}`);
    return line;
  }

  #take(computed: Record<string, string | string[]>): void {
    for (const [keyword, value] of Object.entries(computed)) {
      if (keyword === 'host') continue;
      const values = typeof value === 'string' ? [value] : value;
      const known = this.found.get(keyword);
      if (known === undefined) this.found.set(keyword, [...values]);
      else if (repeatable.has(keyword)) known.push(...values.filter((one) => !known.includes(one)));
    }
  }

  /** Relative names of an Include lie in `~/.ssh`; in each, `*` and `?` stand for what is there. */
  async #included(line: Line & { readonly param: string }): Promise<readonly string[]> {
    const value: unknown = 'value' in line ? line.value : '';
    const patterns = Array.isArray(value) ? value.map((one: { val: string }) => one.val) : [String(value)];
    const files = await Promise.all(
      patterns.map((pattern) => {
        const below = pattern.startsWith('~/') ? path.join(this.#home, pattern.slice(2)) : pattern;
        return filesMatching(path.resolve(this.#home, '.ssh', below));
      }),
    );
    return files.flat();
  }
}

function configError(file: string, what: string, cause?: unknown): PetasosError {
  return new PetasosError('invalid-options', `the ssh configuration ${file} cannot be used: ${what}`, {
    backend: 'ssh',
    operation: 'open',
    data: { file },
    remedy: 'Correct the file, or name another one with the option configFile.',
    cause,
  });
}
