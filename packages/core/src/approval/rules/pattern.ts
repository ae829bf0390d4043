import { programName } from '../policy/programs.js';
import type { ResolvedWord } from '../verdict.js';

/**
 * One element of a rule's `argv`: a word; `*` for any one word; `**` for any number of words; a word with `*` in it for any
 * characters there (`\*` is a star); a list for alternatives.
 */
export type WordPattern = string | readonly string[];

/** `possible`: it depends on parts of the command that are not known. */
export type Match = 'certain' | 'possible' | 'no';

/** An allow rule matches exactly these words, each of them known. */
export function matchesExactly(pattern: readonly WordPattern[], words: readonly ResolvedWord[]): boolean {
  return words.every((word) => word.literal) && run(pattern, words, false, (element, word) => fitsWord(element, word.text));
}

/**
 * A deny or ask rule also matches longer commands, and the program by its name whatever its path. An unknown word may
 * turn out to be any words.
 */
export function matchesWidely(pattern: readonly WordPattern[], words: readonly ResolvedWord[]): Match {
  const open = pattern.at(-1) === '**' ? pattern : [...pattern, '**'];
  const fits = (element: WordPattern, word: ResolvedWord, index: number) =>
    fitsWord(element, word.text) || (index === 0 && fitsWord(baseOf(element), baseName(word.text)));
  if (run(open, words, false, (element, word, index) => word.literal && fits(element, word, index))) return 'certain';
  if (words.every((word) => word.literal)) return 'no';
  return run(open, words, true, (element, word, index) => !word.literal || fits(element, word, index)) ? 'possible' : 'no';
}

type Fits = (element: WordPattern, word: ResolvedWord, index: number) => boolean;

/** Walks the words once, keeping the set of pattern positions that can be reached: time is pattern length × words. */
function run(pattern: readonly WordPattern[], words: readonly ResolvedWord[], spread: boolean, fits: Fits): boolean {
  let reached = skipRests(pattern, new Set([0]));
  for (const [index, word] of words.entries()) {
    const next = new Set<number>();
    const unknown = spread && !word.literal;
    for (const at of reached) {
      const element = pattern[at];
      if (unknown) for (let later = at; later <= pattern.length; later += 1) next.add(later);
      if (element === undefined) continue;
      if (element === '**') next.add(at);
      else if (fits(element, word, index)) next.add(at + 1);
    }
    if (next.size === 0) return false;
    reached = skipRests(pattern, next);
  }
  return reached.has(pattern.length);
}

function skipRests(pattern: readonly WordPattern[], positions: Set<number>): Set<number> {
  for (const at of positions) if (pattern[at] === '**') positions.add(at + 1);
  return positions;
}

function fitsWord(element: WordPattern, text: string): boolean {
  return typeof element === 'string' ? fitsGlob(element, text) : element.some((one) => fitsGlob(one, text));
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1);
}

function baseOf(element: WordPattern): WordPattern {
  return typeof element === 'string' ? baseName(element) : element.map(baseName);
}

/** Greedy from the left: what stands between two stars is looked for once, so the time is linear in practice and never exponential. */
function fitsGlob(glob: string, text: string): boolean {
  const pieces = glob.split(/(?<!\\)\*/).map(withPlainStars);
  const [first = ''] = pieces;
  if (pieces.length === 1) return first === text;
  const last = pieces.at(-1) ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}

function withPlainStars(piece: string): string {
  return piece.replaceAll('\\*', '*');
}

export function hasWildcard(element: string): boolean {
  return /(?<!\\)\*/.test(element);
}

/** Every choice of the fixed words with which a pattern begins, up to two: what they name is what may run. */
export function fixedBeginnings(pattern: readonly WordPattern[]): readonly (readonly string[])[] {
  let beginnings: (readonly string[])[] = [[]];
  for (const element of pattern.slice(0, 2)) {
    const choices = typeof element === 'string' ? [element] : element;
    if (choices.some(hasWildcard)) break;
    beginnings = beginnings.flatMap((beginning) => choices.map((choice) => [...beginning, withPlainStars(choice)]));
  }
  return beginnings;
}

/** Options before the subcommand that take a value, by program. */
const valueOptions: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['git', new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env'])],
  ['docker', new Set(['-c', '--context', '-H', '--host', '--config', '-l', '--log-level', '--tlscacert', '--tlscert', '--tlskey'])],
  ['kubectl', new Set(['-n', '--namespace', '--context', '--cluster', '--kubeconfig', '--user', '-s', '--server', '--token', '--as'])],
  ['helm', new Set(['-n', '--namespace', '--kube-context', '--kubeconfig'])],
  ['npm', new Set(['--prefix', '-C', '--userconfig', '--registry', '--loglevel', '-w', '--workspace'])],
  ['pnpm', new Set(['-C', '--dir', '--filter', '-F', '--loglevel'])],
  ['yarn', new Set(['--cwd'])],
  ['cargo', new Set(['--config', '--color', '-C', '-Z'])],
  ['terraform', new Set([])],
  ['aws', new Set(['--profile', '--region', '--output', '--endpoint-url'])],
  ['gcloud', new Set(['--project', '--account', '--configuration'])],
  ['gh', new Set(['-R', '--repo'])],
]);

/** The words without the options in front of the subcommand, for programs where a rule means the subcommand. */
export function withoutGlobalOptions(words: readonly ResolvedWord[]): readonly ResolvedWord[] {
  const [program] = words;
  const valued = program === undefined ? undefined : valueOptions.get(programName(program.text));
  if (program === undefined || valued === undefined) return words;
  let at = 1;
  while (at < words.length && words[at]?.text.startsWith('-') === true) at += valued.has(words[at]?.text ?? '') ? 2 : 1;
  return [program, ...words.slice(at)];
}
