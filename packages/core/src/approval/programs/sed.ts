import type { Call } from '../call.js';
import { type Data, data, isKnown } from '../flow.js';
import { hasUnknown } from '../marks.js';
import { runFile } from '../script-file.js';
import type { Arg } from '../word.js';
import { inputOf } from './text-common.js';

/** The scripts and the files of a sed command. */
function partsOf(call: Call): { scripts: readonly Arg[]; files: readonly Arg[] } {
  const scripts = call.values('-e --expression');
  if (scripts.length || call.has('-f --file')) return { scripts, files: call.operands };
  return { scripts: call.operands.slice(0, 1), files: call.operands.slice(1) };
}

export function sed(call: Call): void {
  const { scripts, files } = partsOf(call);
  if (call.options.some((option) => /^(?:-i|-I|--in-place|--in-pl?a?c?)/.test(option.name))) for (const file of files) call.writes(file);
  for (const file of files) call.reads(file);
  for (const file of call.values('-f --file')) runFile(call, file, 'sed', { language: 'sed' });
  if (call.has('--sandbox')) return;
  for (const script of scripts) {
    const effects = effectsOf(script.raw);
    if (effects.executes) call.report('option.runs', 'anything', 'The sed script runs commands.', { durable: false });
    for (const code of effects.commands) call.shell(code, { label: 'sed e' });
    for (const file of effects.writes) {
      if (/^\/dev\/(?:stdout|stderr|null)$/.test(file)) continue;
      call.report('option.writes', 'filesystem', `The sed script writes to ${file}.`);
      call.writes(file);
    }
    for (const file of effects.reads) call.reads(file);
  }
}

interface Effects {
  executes: boolean;
  /** What the command `e` is given to run. */
  readonly commands: string[];
  readonly writes: string[];
  readonly reads: string[];
}

/** Reads a sed script command by command, so that a letter in a pattern is no command. */
function effectsOf(script: string): Effects {
  const effects: Effects = { executes: false, commands: [], writes: [], reads: [] };
  let at = 0;
  const delimited = (delimiter: string): void => {
    for (let inClass = false; at < script.length; at++) {
      const character = script[at];
      if (character === '\\') at++;
      else if (character === '[' && !inClass) inClass = true;
      else if (character === ']' && inClass) inClass = false;
      else if (character === delimiter && (!inClass || !script.includes(']', at))) {
        at++;
        return;
      } else if (character === delimiter) {
        at++;
        return;
      }
    }
  };
  const restOfLine = (): string => {
    const end = script.indexOf('\n', at);
    const text = script.slice(at, end < 0 ? undefined : end).trim();
    at = end < 0 ? script.length : end + 1;
    return text;
  };
  while (at < script.length) {
    const character = script[at] as string;
    if (/[\s;{}!,0-9$+~]/.test(character)) at++;
    else if (character === '/') {
      at++;
      delimited('/');
      while (/[IM]/.test(script[at] ?? '')) at++;
    } else if (character === '\\') {
      const delimiter = script[at + 1] ?? '';
      at += 2;
      delimited(delimiter);
    } else if (character === 's' || character === 'y') {
      const delimiter = script[at + 1] ?? '';
      at += 2;
      delimited(delimiter);
      delimited(delimiter);
      if (character === 's') {
        for (; /[gpiImMe0-9w]/.test(script[at] ?? ''); at++) {
          if (script[at] === 'e') effects.executes = true;
          if (script[at] === 'w') {
            at++;
            effects.writes.push(restOfLine());
            break;
          }
        }
      }
    } else if (character === 'e') {
      effects.executes = true;
      at++;
      const code = restOfLine();
      if (code) effects.commands.push(code);
    } else if (character === 'w' || character === 'W') {
      at++;
      effects.writes.push(restOfLine());
    } else if (character === 'r' || character === 'R') {
      at++;
      effects.reads.push(restOfLine());
    } else if (/[aic]/.test(character)) {
      at++;
      let text = restOfLine();
      while (text.endsWith('\\') && at < script.length) text = restOfLine();
    } else if (/[:btT#]/.test(character)) {
      at++;
      const end = script.slice(at).search(/[\n;}]/);
      at = end < 0 || character === '#' ? (script.indexOf('\n', at) < 0 ? script.length : script.indexOf('\n', at)) : at + end;
    } else at++;
  }
  return effects;
}

/** `s/a/b/` over a known text. */
export function sedOutput(call: Call): Data | undefined {
  const { scripts, files } = partsOf(call);
  const input = inputOf(call, files);
  const sources = new Set([...input.sources, 'decoded' as const]);
  if (!isKnown(input) || scripts.length !== 1 || call.has('-n')) return { text: undefined, sources: input.sources };
  const raw = scripts[0]?.raw ?? '';
  const match = /^s([/|#,:@!])((?:(?!\1)[^\\[\]().*+?^$])*)\1((?:(?!\1)[^\\&])*)\1(g?)$/.exec(raw);
  if (!match || hasUnknown(raw)) return { text: undefined, sources: input.sources };
  const [from, to] = [match[2] as string, match[3] as string];
  const lines = input.text.split('\n').map((one) => (match[4] ? one.replaceAll(from, () => to) : one.replace(from, () => to)));
  return { ...data(lines.join('\n')), sources };
}
