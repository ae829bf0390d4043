import { inspect } from 'node:util';
import type { CheckFinding } from '../contract/index.js';
import { PetasosError } from '../contract/index.js';

/** A value that nothing prints by accident: neither JSON nor an inspection nor a string shows it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** To be called where it is handed to the SDK, and nowhere else. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }

  [inspect.custom](): string {
    return '[secret]';
  }
}

/** One place where credentials may stand. Earlier sources win over later ones. */
export interface CredentialSource<Part extends string> {
  /** Where a person finds it: `the options`, `the environment (DAYTONA_API_KEY)`, `/home/me/.modal.toml (profile default)`. */
  readonly where: string;
  readonly parts: Readonly<Partial<Record<Part, string | undefined>>>;
}

export interface Credentials<Part extends string> {
  readonly where: string;
  readonly parts: Readonly<Record<Part, Secret>>;
}

export interface CredentialChoice<Part extends string> {
  readonly chosen: Credentials<Part> | undefined;
  /** Sources that have some of the parts but not all, before the one that was chosen. */
  readonly incomplete: readonly { readonly where: string; readonly missing: readonly Part[] }[];
  /** Sources behind the chosen one that would have served too. */
  readonly passedOver: readonly string[];
}

/** The first source that has every part. Parts of two sources are never mixed: they may belong to two accounts. */
export function chooseCredentials<Part extends string>(
  parts: readonly Part[],
  sources: readonly CredentialSource<Part>[],
): CredentialChoice<Part> {
  const incomplete: { where: string; missing: Part[] }[] = [];
  for (const [index, { where, parts: values }] of sources.entries()) {
    const missing = parts.filter((part) => !values[part]);
    if (missing.length === 0) {
      const secrets = Object.fromEntries(parts.map((part) => [part, new Secret(values[part] ?? '')])) as Record<Part, Secret>;
      const later = sources.slice(index + 1).filter((source) => parts.every((part) => source.parts[part]));
      return { chosen: { where, parts: secrets }, incomplete, passedOver: later.map((source) => source.where) };
    }
    if (missing.length < parts.length) incomplete.push({ where, missing });
  }
  return { chosen: undefined, incomplete, passedOver: [] };
}

/** The line of `doctor` about credentials: which source wins, never a value. */
export function credentialFinding<Part extends string>(backend: string, choice: CredentialChoice<Part>, remedy: string): CheckFinding {
  const id = `${backend}.credentials`;
  const halves = choice.incomplete.map(({ where, missing }) => `${where} lacks ${missing.join(' and ')}`);
  if (choice.chosen === undefined) {
    const why = halves.length > 0 ? ` (${halves.join('; ')})` : '';
    return { id, status: 'failed', message: `${backend} has no credentials${why}`, remedy };
  }
  const found = `${backend} uses the credentials from ${choice.chosen.where}`;
  if (halves.length > 0) return { id, status: 'warning', message: `${found}; ${halves.join('; ')}`, remedy };
  const others = choice.passedOver.length > 0 ? `; it passes over ${choice.passedOver.join(' and ')}` : '';
  return { id, status: 'ok', message: `${found}${others}` };
}

/** @throws `credentials` when no source has every part. */
export function requireCredentials<Part extends string>(
  backend: string,
  operation: string,
  choice: CredentialChoice<Part>,
  remedy: string,
): Credentials<Part> {
  if (choice.chosen) return choice.chosen;
  const { message } = credentialFinding(backend, choice, remedy);
  throw new PetasosError('credentials', message, { backend, operation, remedy });
}
