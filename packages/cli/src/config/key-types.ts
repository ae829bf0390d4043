/** How a value is written in YAML and read from a variable. */
export type KeyType = 'string' | 'integer' | 'number' | 'boolean' | 'list' | 'map';

/** What Petasos does with a key. `none`: it is known from existing files and has no effect here; using it is said aloud. */
export type KeyEffect =
  | { readonly kind: 'sandbox' }
  | { readonly kind: 'session' }
  | { readonly kind: 'option'; readonly backends: readonly string[]; readonly option: string }
  | { readonly kind: 'none'; readonly why: string }
  /** Dropping it would allow what its owner forbids: it stops the start. */
  | { readonly kind: 'refused'; readonly why: string; readonly remedy: string };

/**
 * What a project may say before it is trusted: only what leaves commands less than the user's own configuration does.
 * `lower`: a smaller number, where absent and zero mean no limit. `off`: false. `fewer`: a part of the list. `stricter`: a word
 * that stands later in `oneOf`.
 */
export type Tightening = 'lower' | 'off' | 'fewer' | 'stricter';

export interface ConfigKey {
  readonly key: string;
  readonly type: KeyType;
  /** The variable that carries the same setting. */
  readonly variable?: string;
  readonly effect: KeyEffect;
  /** One line for people. */
  readonly help: string;
  /** The only values, where there are few. */
  readonly oneOf?: readonly string[];
  /** Other words for some of the values. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The value that changes nothing: with it, a key without effect needs no word. */
  readonly neutral?: unknown;
  /** What holds where nothing is said. */
  readonly standing?: string | number | boolean;
  /** Absent: an untrusted project has no say. */
  readonly tightens?: Tightening;
  /** `${NAME}` in the value stays as it is. */
  readonly verbatim?: boolean;
}
