import type { Call } from './call.js';
import type { Data } from './flow.js';
import type { OptionTable } from './options.js';
import type { Reach, Verdict } from './verdict.js';

/** A condition under which a program does something that a person should know. All parts that are given must hold. */
export interface Rule {
  readonly id: string;
  /** `ask` when left out. */
  readonly verdict?: Verdict | undefined;
  readonly reach: Reach;
  /** One sentence: what it does. */
  readonly reason: string;
  /**
   * Operands, from the first: `volume rm|prune`. Alternatives by `|`, `*` for any word, a trailing `*` in a word for its beginning, a
   * leading one for its end, `...` for any number of words.
   */
  readonly when?: string | undefined;
  /** Any of these options: `-f --force`. */
  readonly option?: string | undefined;
  /** With any of these options it does not happen: `--dry-run`. */
  readonly unless?: string | undefined;
  readonly test?: ((call: Call) => boolean) | undefined;
  readonly alternative?: string | undefined;
}

/**
 * What is known about a program. Adding one is adding an entry: its examples are its tests.
 * Options and operands come from the program's public documentation.
 */
export interface Program {
  /** Basenames. */
  readonly names: readonly string[];
  readonly options?: OptionTable | undefined;
  readonly rules?: readonly Rule[] | undefined;
  readonly check?: ((call: Call) => void) | undefined;
  /** What it writes to its output where that is known, or where it comes from. */
  readonly output?: ((call: Call) => Data | undefined) | undefined;
  /** Operands are files whose content it shows or sends. */
  readonly shows?: boolean | undefined;
  /** Runs another command: its own call is listed, but the payload is what is judged. */
  readonly wrapper?: boolean | undefined;
  /** Gains other rights: sudo, doas, su, pkexec. */
  readonly privileged?: boolean | undefined;
  /** An answer about it must not be stored: it runs whatever it is given. */
  readonly fleeting?: boolean | undefined;
  /** Usually a file of the project itself: `./gradlew`, `./manage.py`. */
  readonly inProject?: boolean | undefined;
  /** Commands that must not pass without a question. */
  readonly match: readonly string[];
  /** Commands that must pass. */
  readonly not_match: readonly string[];
}

const compiled = new Map<string, readonly (readonly string[])[]>();

/** Whether operands fit a pattern of `Rule.when`. Unknown words fit nothing but `*`. */
export function fits(pattern: string, operands: readonly string[]): boolean {
  let steps = compiled.get(pattern);
  if (!steps) {
    steps = pattern.split(' ').map((step) => step.split('|'));
    compiled.set(pattern, steps);
  }
  return fitsFrom(steps, 0, operands, 0);
}

function fitsFrom(steps: readonly (readonly string[])[], step: number, operands: readonly string[], at: number): boolean {
  for (let index = step; index < steps.length; index++) {
    const choices = steps[index] as readonly string[];
    if (choices[0] === '...') {
      for (let skip = at; skip <= operands.length; skip++) if (fitsFrom(steps, index + 1, operands, skip)) return true;
      return false;
    }
    const operand = operands[at++];
    if (operand === undefined || !choices.some((choice) => fitsWord(choice, operand))) return false;
  }
  return true;
}

function fitsWord(choice: string, operand: string): boolean {
  if (choice === '*') return true;
  if (choice.endsWith('*')) return choice.startsWith('*') ? operand.includes(choice.slice(1, -1)) : operand.startsWith(choice.slice(0, -1));
  return choice.startsWith('*') ? operand.endsWith(choice.slice(1)) : operand === choice;
}
