import type { ParsedScript, Word, WordPart } from '../parse.js';
import type { Scope } from '../scope.js';

/** What the resolver needs from whoever walks the tree. */
export interface Expansion {
  readonly scope: Scope;
  readonly home: string;
  readonly user: string;
  /** The values of a word within the one that is being resolved. */
  text(word: Word): string[];
  /** A part of a word as it stands between double quotes. */
  pieces(part: WordPart): Piece[][];
  /** Counts expansions with the commands; false, and reported, when no more are followed. */
  spend(): boolean;
  /** Counts words that brace expansion made; false when no more are to be made. */
  expanded(words: number): boolean;
  /** Walks a command substitution and gives its output without trailing newlines, with marks for what is unknown. */
  substitute(script: ParsedScript | undefined): string;
  /** Walks a process substitution and gives the name under which its other end appears. */
  processSubstitution(script: ParsedScript | undefined, direction: '<' | '>'): string;
  /** A text that the shell would evaluate again as arithmetic, where `a[$(cmd)]` runs a command. */
  evaluatedAgain(text: string): void;
  /** Syntax that another shell runs as a command. */
  otherShell(text: string): void;
  /** Commands in an operand that the parser cut in the middle of them. */
  cut(operand: string): void;
  /** A text whose prompt escapes and substitutions are expanded. */
  expandedAsPrompt(text: string): void;
}

/** A stretch of a word after expansion. `fields` is a list that stays apart, as `"$@"` does. */
export interface Piece {
  readonly text: string;
  readonly quoted: boolean;
  /** Result of an unquoted expansion: split into fields, wildcards become active. */
  readonly splits: boolean;
  readonly fields?: readonly string[] | undefined;
}

export const quoted = (text: string): Piece => ({ text, quoted: true, splits: false });
export const bare = (text: string): Piece => ({ text, quoted: false, splits: false });
