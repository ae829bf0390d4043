import { limits } from './limits.js';
import { hasUnknown, UNKNOWN } from './marks.js';

/** Where data comes from. `decoded`: a filter turned unreadable text into it; `shell`: a shell that takes commands from elsewhere. */
export type Source = 'literal' | 'file' | 'network' | 'secret' | 'decoded' | 'shell' | 'unknown';

/** What flows through a pipe, into a file, or out of a substitution. `text` is undefined when it cannot be known. */
export interface Data {
  readonly text: string | undefined;
  readonly sources: ReadonlySet<Source>;
}

export const data = (text: string | undefined, ...sources: Source[]): Data => ({ text, sources: new Set(sources) });
export const nothing: Data = data('', 'literal');
export const unknownData: Data = data(undefined, 'unknown');

export function mixed(...all: (Data | undefined)[]): ReadonlySet<Source> {
  const sources = new Set<Source>();
  for (const one of all) if (one) for (const source of one.sources) sources.add(source);
  return sources;
}

/** Collects what the commands of a list write to their output. */
export class Output {
  #text: string | undefined = '';
  readonly #sources = new Set<Source>();

  add(more: Data): void {
    for (const source of more.sources) this.#sources.add(source);
    if (this.#text === undefined || more.text === undefined) this.#text = undefined;
    else this.#text = this.#text.length + more.text.length > limits.input ? undefined : this.#text + more.text;
  }

  get data(): Data {
    return { text: this.#text, sources: this.#sources };
  }
}

/** The value of `$(…)`: without trailing newlines, a mark where it is unknown. */
export function substituted(output: Data): string {
  if (output.text === undefined || output.text.length > limits.word) return UNKNOWN;
  return output.text.replace(/\n+$/, '');
}

export const isKnown = (value: Data | undefined): value is Data & { text: string } => value?.text !== undefined && !hasUnknown(value.text);
