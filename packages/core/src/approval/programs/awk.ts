import type { Call } from '../call.js';
import { type Data, data } from '../flow.js';
import { runFile } from '../script-file.js';
import { inputOf } from './text-common.js';

export function awk(call: Call): void {
  for (const library of call.values('-l --load'))
    call.report('option.runs', 'anything', `It loads ${library.text} as code.`, { durable: false });
  for (const file of call.values('-f --file -E --exec -i --include'))
    if (file.text !== 'inplace') runFile(call, file, 'awk', { language: 'awk' });
  for (const file of call.values('-o -d -p --pretty-print --dump-variables --profile')) call.writes(file);
  const inPlace = call.values('-i --include').some((file) => file.text === 'inplace');
  const fromFile = call.has('-f --file -E --exec');
  const programs = call.values('-e --source');
  const files = fromFile || programs.length ? call.operands : call.operands.slice(1);
  for (const file of files) {
    call.reads(file);
    if (inPlace) call.writes(file);
  }
  for (const program of programs.length || fromFile ? programs : call.operands.slice(0, 1)) {
    call.code('awk', program.raw);
    const text = program.raw.replace(/"(?:[^"\\]|\\.)*"|\/(?:[^/\\\n]|\\.)*\//g, (match) => (match.startsWith('"') ? match : ' '));
    if (/\/inet[46]?\//.test(program.raw)) {
      const shell = /getline[\s\S]*\|\s*&?|\|&?\s*getline|system/.test(text);
      call.report(shell ? 'net.reverse-shell' : 'net.raw-socket', 'network', 'The awk program opens a network connection.', {
        verdict: shell && /\|\s*&?\s*getline[\s\S]*\|\s*getline|\|&[\s\S]*\|\s*getline|cmd|c\s*\|&\s*getline/.test(text) ? 'deny' : 'ask',
        durable: false,
      });
    }
    for (const match of text.matchAll(/\bprintf?\b[^;}\n|>]*>>?\s*"([^"]+)"/g)) call.writes(match[1] as string);
    if (/@load\b/.test(text)) call.report('option.runs', 'anything', 'It loads other code.', { durable: false });
  }
}

/** `print "…"` of a literal in BEGIN. */
export function awkOutput(call: Call): Data | undefined {
  const program = call.operands[0]?.raw ?? '';
  const literal = /^\s*BEGIN\s*\{\s*print\s*\(?\s*"((?:[^"\\]|\\.)*)"\s*\)?\s*;?\s*\}\s*$/.exec(program);
  if (literal) return data(`${(literal[1] as string).replace(/\\(.)/g, '$1')}\n`, 'literal', 'decoded');
  return { text: undefined, sources: inputOf(call, call.operands.slice(1)).sources };
}
