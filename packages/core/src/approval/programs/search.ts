import type { Call } from '../call.js';
import { data, isKnown } from '../flow.js';
import { canMatch, hasGlob, SPREAD, UNKNOWN } from '../marks.js';
import { judgeDeletion } from '../path-policy.js';
import type { Program } from '../program.js';
import { type Arg, argument } from '../word.js';

/** Items of a batch that are followed one by one. */
const mostItems = 16;

const startOptions = /^-(?:H|L|P|O\d*|D)$/;
const expression = /^(?:-|\(|!|,)/;
const narrows =
  /^-(?:i?name|i?path|i?wholename|i?regex|newer\w*|[acm]?min|[acm]time|size|user|group|empty|perm|inum|links|samefile|fstype|used|nouser|nogroup|i?lname)$/;

/** Run for everything below a directory, these leave nothing of it. */
const erases = /^(?:.*\/)?(?:rm|unlink|shred|srm|wipe)$/;

function find(call: Call): void {
  const args = call.args;
  let at = 0;
  while (at < args.length && startOptions.test(args[at]?.raw ?? '')) at += args[at]?.raw === '-D' ? 2 : 1;
  const starts: Arg[] = [];
  while (at < args.length && !expression.test(args[at]?.raw ?? '')) starts.push(args[at++] as Arg);
  if (starts.length === 0) starts.push(argument('.'));
  const tests = args.slice(at);
  const narrowed = tests.some(
    (arg, index) =>
      narrows.test(arg.raw) && !/^(?:!|-not)$/.test(tests[index - 1]?.raw ?? '') && !/^[*.\uE002]+$/.test(tests[index + 1]?.raw ?? ''),
  );
  const meansOption = (arg: Arg, name: string): boolean => arg.raw === name || (hasGlob(arg.raw) && canMatch(arg.raw, name));
  for (let index = 0; index < tests.length; index++) {
    const arg = tests[index] as Arg;
    if (['-exec', '-execdir', '-ok', '-okdir'].some((name) => meansOption(arg, name))) {
      let end = index + 1;
      while (end < tests.length && tests[end]?.raw !== ';' && !(tests[end]?.raw === '+' && tests[end - 1]?.raw === '{}')) end++;
      const words = tests.slice(index + 1, end);
      for (const start of starts.slice(0, 4)) followFound(call, words, start, narrowed, arg.text.includes('dir'));
      index = end;
    } else if (meansOption(arg, '-delete')) {
      for (const start of starts) deleteFound(call, start, narrowed);
    } else if (/^-f(?:print0?|printf|ls)$/.test(arg.raw)) {
      const file = tests[index + 1];
      if (file) {
        call.report('option.writes', 'filesystem', `It writes a list of files to ${file.text}.`);
        call.writes(file);
      }
    } else if (arg.raw === '-files0-from' && tests[index + 1]) call.reads(tests[index + 1] as Arg);
  }
}

function deleteFound(call: Call, start: Arg, narrowed: boolean): void {
  const path = call.path(start);
  const report = judgeDeletion(path, true, call.at.context, call.scope.cwd);
  if (report?.verdict === 'deny' && !narrowed) call.at.report(report);
  else
    call.report('fs.find-delete', 'filesystem', `It deletes everything that it finds below ${start.text}.`, {
      paths: path.startsWith('/') ? [path] : [],
      durable: false,
      alternative: 'Run it with -print first.',
    });
}

/** The words for `-exec`, with a found file in place of `{}`: the start itself where nothing narrows the search. */
function followFound(call: Call, words: readonly Arg[], start: Arg, narrowed: boolean, inDirectory: boolean): void {
  if (!words.length) return;
  const base = start.raw.replace(/\/+$/, '');
  const found = inDirectory ? `./${UNKNOWN}` : narrowed ? `${base}/${UNKNOWN}` : undefined;
  const replaced = (value: string): Arg[] =>
    words.map((word) => (word.raw.includes('{}') ? argument(word.raw.replaceAll('{}', value)) : word));
  const directory = inDirectory ? { cwd: '' } : {};
  startsShells(call, words);
  if (!narrowed && erases.test(words[0]?.raw ?? '')) {
    const report = judgeDeletion(call.path(start), true, call.at.context, call.scope.cwd);
    if (report?.verdict === 'deny') call.at.report(report);
  }
  if (found !== undefined) call.run(replaced(found), { label: 'find -exec', ...directory });
  else {
    const { path } = { path: call.path(start) };
    const whole = judgeDeletion(path, true, call.at.context, call.scope.cwd)?.verdict === 'deny';
    call.run(replaced(whole ? start.raw : `${base}/${UNKNOWN}`), { label: 'find -exec' });
  }
}

/** A shell for every item is a way to run anything from a program that only searches. */
function startsShells(call: Call, words: readonly Arg[]): void {
  if (words[1]?.raw === '-n') return;
  if (/^(?:.*\/)?(?:ba|da|z|k|fi)?sh$/.test(words[0]?.raw ?? ''))
    call.report('exec.batch-shell', 'anything', `It has ${call.name} start a shell for what it finds.`, { durable: false });
}

/** Options of fd end where its command begins. */
function fd(call: Call): void {
  const index = call.args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg.raw));
  if (index < 0) return;
  const end = call.args.findIndex((arg, at) => at > index && arg.raw === ';');
  const words = call.args.slice(index + 1, end < 0 ? undefined : end);
  startsShells(call, words);
  const placed = words.some((word) => /\{[/.]*\}/.test(word.raw));
  const path = argument(`./${UNKNOWN}`);
  call.run(
    placed
      ? words.map((word) => (/\{[/.]*\}/.test(word.raw) ? argument(word.raw.replace(/\{[/.]*\}/g, path.raw)) : word))
      : [...words, path],
  );
}

function xargs(call: Call): void {
  const { rest } = call.parsed();
  const words = rest < call.args.length ? call.args.slice(rest) : [argument('echo')];
  const replace = call.value('-I -J --replace')?.raw ?? (call.has('-i --replace') ? '{}' : undefined);
  const file = call.value('-a --arg-file');
  const source = file ? call.at.written(call.path(file)) : call.stdin;
  const known = source?.text === UNKNOWN ? undefined : source?.text;
  startsShells(call, words);
  const delimiter = call.value('-d --delimiter')?.raw;
  const separator = call.has('-0 --null') ? '\0' : delimiter === '\\n' || replace !== undefined ? '\n' : delimiter;
  const items =
    known === undefined
      ? undefined
      : (separator === undefined ? known.split(/\s+/) : known.split(separator))
          .filter(Boolean)
          .map((item) => item.replace(/^(["'])(.*)\1$/, '$2'));
  if (items && items.length === 0) {
    call.run(words);
    return;
  }
  const followed = items?.slice(0, mostItems);
  if (items && items.length > mostItems) followed?.push(UNKNOWN);
  if (replace === undefined) call.run([...words, ...(followed?.map(argument) ?? [argument(SPREAD)])]);
  else
    for (const item of followed ?? [UNKNOWN])
      call.run(words.map((word) => (word.raw.includes(replace) ? argument(word.raw.replaceAll(replace, item)) : word)));
}

function parallel(call: Call): void {
  const { rest } = call.parsed();
  const args = call.args.slice(rest);
  const at = args.findIndex((arg) => /^:::+\+?$/.test(arg.raw));
  const template = (at < 0 ? args : args.slice(0, at)).map((arg) => arg.raw);
  const listed = at < 0 ? undefined : args.slice(at + 1).filter((arg) => !/^:::+\+?$/.test(arg.raw));
  const fromFile = args[at]?.raw.startsWith('::::') || call.has('-a --arg-file');
  const known = !fromFile && isKnown(call.stdin) ? call.stdin.text.split('\n').filter(Boolean) : undefined;
  const items = (fromFile ? undefined : (listed?.map((arg) => arg.raw) ?? known))?.slice(0, mostItems) ?? [UNKNOWN];
  for (const item of items) {
    if (template.length === 0) {
      call.shell(item);
      continue;
    }
    // Values arrive quoted, so an unknown one is a word and no code.
    const value = item === UNKNOWN ? '"${__item}"' : `'${item.replaceAll("'", "'\\''")}'`;
    const text = template.join(' ');
    call.shell(/\{[#%./\d]*\}/.test(text) ? text.replace(/\{[#%./\d]*\}/g, value) : `${text} ${value}`);
  }
}

export const search: readonly Program[] = [
  {
    names: ['find', 'gfind'],
    options: { style: 'none' },
    check: find,
    output: (call) => {
      const starts = call.args.filter((arg) => !arg.raw.startsWith('-'));
      const start = starts[0] === call.args[0] && starts[0] ? starts[0].raw : '.';
      const narrowed = call.args.some((arg) => narrows.test(arg.raw) || arg.raw === '-type');
      return data(narrowed ? `${start}/${UNKNOWN}\n` : `${start}\n${start}/${UNKNOWN}\n`, 'file');
    },
    match: [
      'find . -name "*.tmp" -delete',
      'find /srv -exec rm {} +',
      'find . -de[l]ete',
      'find . -type f -exec sh -c "rm -rf ~" \\;',
      'find . -fprintf ~/.bashrc x',
      'find . -okdir git reset --hard \\;',
      'find ~ -type f -exec rm -f {} +',
      'find / ! -name keep -delete',
    ],
    not_match: [
      'find . -name "*.ts" -type f',
      'find src -exec grep -l foo {} +',
      'find . -name package.json -not -path "*/node_modules/*"',
      'find . -name "*.sh" -exec chmod +x {} \\;',
      'find . -name "*.sh" -exec bash -n {} \\;',
    ],
  },
  {
    names: ['fd', 'fdfind'],
    options: { style: 'none' },
    check: fd,
    match: ['fd -e log -x rm -rf', 'fd . --exec-batch git clean -fdx'],
    not_match: ['fd package.json', 'fd -e ts -x wc -l'],
  },
  {
    names: ['xargs', 'gxargs'],
    options: {
      values: '-a -d -E -I -L -n -P -s -J -R -S --arg-file --delimiter --max-lines --max-args --max-procs --max-chars --process-slot-var',
      stop: true,
    },
    wrapper: true,
    check: xargs,
    match: [
      'ls | xargs rm -rf',
      'echo ~ | xargs rm -r',
      'xargs -I{} sh -c "{}" < jobs',
      'git branch | xargs -n1 git branch -D',
      'xargs -a list rm -f',
    ],
    not_match: [
      'git ls-files | xargs wc -l',
      'find . -name "*.js" | xargs eslint',
      'echo a b | xargs -n1 echo',
      'ls | xargs -I{} cp {} backup/',
    ],
  },
  {
    names: ['parallel', 'rust-parallel'],
    options: {
      values:
        '-j -I -a -S -N -n -L -d --colsep --delay --timeout --joblog --results --tmpdir --wd --jobs --arg-file --retries --sshlogin --basefile --return',
      stop: true,
    },
    wrapper: true,
    check: parallel,
    match: ['parallel rm -rf ::: a b', 'parallel < jobs.txt', "parallel ::: 'git reset --hard'", 'ls | parallel rm -r {}'],
    not_match: ['parallel gzip ::: a.txt b.txt', 'ls *.png | parallel convert {} {.}.jpg'],
  },
  {
    names: ['grep', 'egrep', 'fgrep', 'zgrep', 'rgrep', 'ggrep'],
    options: {
      values:
        '-e -f -m -A -B -C -D -d --regexp --file --max-count --after-context --before-context --context --include --exclude --exclude-dir --color --label --binary-files',
    },
    check: (call) => {
      for (const file of call.values('-f --file')) call.reads(file);
      const quiet = call.has('-q -c -l -L --quiet --silent --count --files-with-matches --files-without-match');
      const files = call.has('-e -f --regexp --file') ? call.operands : call.operands.slice(1);
      if (!quiet) for (const file of files) call.reads(file);
    },
    match: ['grep password ~/.netrc', 'grep -r . ~/.ssh', 'grep -f ~/.ssh/id_rsa x'],
    not_match: ['grep -rn "rm -rf" .', 'grep -q TOKEN .env', 'grep -E "a|b" file.txt'],
  },
  {
    names: ['rg', 'ag', 'ack', 'ugrep', 'ripgrep'],
    options: {
      values:
        '-e -f -g -t -T -A -B -C -m -M -j -r --regexp --file --glob --type --pre --pre-glob --hostname-bin --pager --ackrc --ignore-file --max-depth --path-to-ignore --context --sort',
    },
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        option: '--pre --hostname-bin --pager --ackrc --search-zip -z',
        reason: 'One of its options runs another program on every file.',
        test: (call) => call.has('--pre --hostname-bin --pager --ackrc'),
      },
    ],
    check: (call) => {
      for (const file of call.values('-f --file')) call.reads(file);
      if (!call.has('-q -l -c --quiet --files-with-matches --count --files')) for (const file of call.operands.slice(1)) call.reads(file);
    },
    match: ['rg --pre ./x foo', 'ag --pager ./x foo', 'rg KEY ~/.aws/credentials'],
    not_match: ['rg foo src', 'rg --files', "rg -n 'git push --force' docs", 'ag -l TODO'],
  },
];
