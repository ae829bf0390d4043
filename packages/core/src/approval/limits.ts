/** Bounds are counts, so that a verdict never depends on how busy the machine is. Whatever lies beyond one is `ask`. */
export const limits = {
  /** UTF-16 code units of command text. */
  input: 1 << 20,
  /** Commands that are followed, payloads of wrappers included. */
  commands: 20_000,
  /** Scripts, compound commands and payloads within each other. */
  nesting: 40,
  /** Substitutions and expansions within each other in a text. Deeper text is read up to there. */
  depth: 64,
  /** Words that one brace expansion or array gives. */
  words: 1_000,
  /** Words that all brace expansions of a text give together. */
  braces: 20_000,
  /** Length of one resolved word. */
  word: 1 << 14,
  /** Values that one variable or word can have. */
  alternatives: 16,
  /** Text of payloads that is parsed again, in all. */
  payload: 1 << 22,
  /** Lines that are read on their own after a parse error. */
  lines: 400,
} as const;
