import { UsageError } from '../ui/errors.js';

const plainWord = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** A word as the shell reads it back unchanged. A leading `=` or `~` is quoted: shells expand it. */
function quoteWord(word: string): string {
  if (plainWord.test(word) && !word.startsWith('=')) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * One word is shell text as it stands; several are a program and its arguments, kept apart whatever they hold. A first
 * word such as `A=b` would become an assignment, so it is quoted too.
 */
export function commandText(words: readonly string[]): string {
  const [only, ...others] = words;
  if (only === undefined) throw new UsageError('no command given', 'Write it after --, such as: petasos run -- npm test');
  if (others.length === 0) return only;
  const program = only.includes('=') ? `'${only.replaceAll("'", `'\\''`)}'` : quoteWord(only);
  return [program, ...others.map(quoteWord)].join(' ');
}
