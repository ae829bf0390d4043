import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { runContent, runFile } from '../script-file.js';
import type { Arg } from '../word.js';

/** `-sc CODE`, `-esc CODE`: vim takes letters in a bundle, and the last one its value from the next word. */
function bundledCommands(call: Call): Arg[] {
  return call.args.flatMap((arg, index) =>
    /^-[A-Za-z]{1,4}c$/.test(arg.raw) && call.args[index + 1] ? [call.args[index + 1] as Arg] : [],
  );
}

export const editors: readonly Program[] = [
  {
    names: [
      'vim',
      'vi',
      'nvim',
      'ex',
      'view',
      'gvim',
      'rvim',
      'vimdiff',
      'ed',
      'red',
      'emacs-nox',
      'nano',
      'pico',
      'micro',
      'kak',
      'hx',
      'helix',
      'joe',
      'jed',
      'ne',
    ],
    options: { values: '-c -S -u -U -i -T -w -W --cmd -p --remote-expr --remote-send', style: 'words' },
    fleeting: true,
    check: (call) => {
      for (const code of [
        ...call.values('-c --cmd'),
        ...bundledCommands(call),
        ...(/^(?:ed|red)$/.test(call.name) ? call.operands.filter((operand) => operand.raw.startsWith('!')) : []),
        ...call.args.filter((arg) => /^\+./.test(arg.raw) && !/^\+\d+$/.test(arg.raw)).map((arg) => call.literal(arg.raw.slice(1))),
      ]) {
        const shell =
          /(?:^|[|:])\s*(?:(?:(?:sil(?:ent)?|norm(?:al)?)(?:!|\b(?!!))|verb(?:ose)?|noa(?:utocmd)?|exe[cute]*|bufdo|argdo|windo|tabdo|g\/[^/]*\/)\s*['"]?:?\s*)*(?:%|\d*,?\d*)?!\s*(.+)$|(?:^|[:|])\s*(?:r|read|w|write)\s+!\s*(.+)$|\bsystem\(\s*["'](.+?)["']\s*\)/.exec(
            code.raw,
          );
        if (shell) {
          call.report('option.runs', 'anything', 'It has the editor run a command.', { durable: false });
          call.shell((shell[1] ?? shell[2] ?? shell[3] ?? '').replace(/^['"]|['"]$/g, ''), { label: call.name });
        } else if (
          /\b(?:lua|py3?|python3?|perl|ruby|source|so|terminal|term|call\s+(?:system|delete|writefile)|luafile|pyfile|execute)\b/.test(
            code.raw,
          )
        )
          call.report('option.runs', 'anything', 'It has the editor run code.', { durable: false });
        const write = /(?:^|\|)\s*:?\s*(?:w|write|wq|saveas|x)!?\s+([^|!\s]+)/.exec(code.raw);
        if (write) call.writes(write[1] as string);
      }
      if (/^(?:nano|pico)$/.test(call.name))
        for (const speller of call.options.filter((option) => /^-[sS]$|^--speller$/.test(option.name)))
          call.report('option.runs', 'anything', `It checks spelling with ${speller.value?.text ?? 'another program'}.`, {
            durable: false,
          });
      for (const file of call.values('-S -u'))
        if (!/^(?:NONE|NORC|DEFAULTS)$/.test(file.text)) runFile(call, file, call.name, { language: 'vim' });
      if (/^(?:ed|ex|red)$/.test(call.name) || call.options.some((option) => /^-(?:e|es|E|s|Es)$/.test(option.name))) {
        if (call.stdin?.text !== undefined) {
          for (const match of call.stdin.text.matchAll(/^\s*(?:r\s*)?!(.+)$/gm)) {
            call.report('option.runs', 'anything', 'It has the editor run a command.', { durable: false });
            call.shell(match[1] as string, { label: call.name });
          }
          for (const match of call.stdin.text.matchAll(/^\s*\d*,?\$?w!?\s+(\S+)/gm)) call.writes(match[1] as string);
          for (const operand of call.operands) call.writes(operand);
        } else if (call.stdin) runContent(call, call.stdin, { language: 'vim' });
      }
    },
    match: [
      "vim -c ':!rm -rf ~/x' -c q",
      'nvim --cmd \'lua os.execute("id")\'',
      "vim '+!id' +q",
      "ed f <<'END'\n!rm -rf ~/x\nEND",
      'vim -S /tmp/x.vim',
      "ex -s -c 'w ~/.bashrc' -c q f",
      "vim -es -c 'r !id' -c q",
      "vim -c 'silent !rm -rf ~/x' +q",
      "ex -sc '!id|q'",
      "view -c ':!id'",
      "ed '!id'",
    ],
    not_match: ['vim README.md', 'vim +42 a.ts', "vim -c 'set nu' a.ts", 'nano a.txt', 'nvim .', 'vimdiff a b'],
  },
  {
    names: ['gdb', 'lldb', 'cgdb', 'dlv', 'radare2', 'r2', 'bpftrace', 'systemtap', 'stap', 'dtrace', 'frida', 'gcore'],
    options: { values: '-x -ex -o -O -p -c -s -S -b -k -iex -eval-command --eval-command --command -e -i -q -d', style: 'words' },
    fleeting: true,
    check: (call) => {
      for (const code of call.values('-ex -iex -o -O -eval-command --eval-command -c -e'))
        if (
          /^\s*(?:!|shell|python|pi|py|platform\s+shell|script|source|pipe|call\s+system|expr.*system|system)/.test(code.raw) ||
          /system\s*\(/.test(code.raw)
        ) {
          call.report('option.runs', 'anything', 'It has the debugger run a command.', { durable: false });
          call.shell(code.raw.replace(/^\s*(?:!|shell|platform\s+shell|pipe)\s*/, ''), { label: call.name });
        }
      for (const file of call.values('-x --command -s'))
        if (/^(?:gdb|lldb)$/.test(call.name)) runFile(call, file, call.name, { language: call.name });
      if (call.has('-p --pid') && /^(?:gdb|lldb|frida|gcore|dlv)$/.test(call.name))
        call.report('proc.attach', 'processes', 'It takes control of a running process.');
      const at = call.args.findIndex((arg) => arg.raw === '--args' || arg.raw === '--');
      if (at >= 0) call.runFrom(at + 1);
      if (/^(?:bpftrace|stap|systemtap|dtrace)$/.test(call.name) && call.args.length > 0 && !call.has('-l'))
        call.report('sys.kernel', 'host', 'It runs code in the kernel.', { durable: false });
    },
    match: ["gdb -ex '!rm -rf ~/x'", "gdb -batch -ex 'shell id'", 'gdb --args rm -rf ~/x', 'gdb -p 1', "lldb -o 'platform shell id'"],
    not_match: ['gdb ./app', 'gdb -batch -ex bt ./app core', 'gdb --args ./build/app x'],
  },
];
