import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { leadingAssignments } from './wrappers.js';

const asOther = (call: Call): void =>
  call.report('sudo.run', 'processes', `${call.name} runs a command with the rights of another user.`, { durable: false });

const passwordOnStdin = (call: Call): void =>
  call.report(
    'sudo.password-on-stdin',
    'host',
    'It feeds a password to a program that grants rights, which is how passwords are guessed and leaked.',
    {
      verdict: 'deny',
      durable: false,
      alternative: 'Ask the person to run it in a terminal of their own.',
    },
  );

const interactive = (call: Call): void =>
  call.report('exec.interactive', 'anything', 'It starts a shell with other rights, to take commands that nobody has seen yet.', {
    durable: false,
  });

const onlyAsks = /^-(?:l|ll|-list|k|-reset-timestamp|K|-remove-timestamp|n|-non-interactive|V|-version|h|-help|U|-other-user)$/;

export const privilege: readonly Program[] = [
  {
    names: ['sudo', 'sudo-rs', 'run0'],
    options: {
      values:
        '-C -D -g -h -p -R -r -T -t -U -u --close-from --chdir --group --host --prompt --chroot --role --command-timeout --type --other-user --user --background-color --unit --property --setenv',
      stop: true,
    },
    wrapper: true,
    privileged: true,
    check: (call) => {
      const { options, rest } = call.parsed();
      if (call.has('-S --stdin')) passwordOnStdin(call);
      if (call.has('-A --askpass'))
        call.report('sudo.askpass', 'credentials', 'It has another program supply the password.', { durable: false });
      const { index, assignments } = leadingAssignments(call, rest);
      const words = call.args.slice(index);
      if (!words.length) {
        if (options.length > 0 && options.every((option) => onlyAsks.test(option.name))) return;
        if (call.has('-i --login -s --shell')) interactive(call);
        asOther(call);
        return;
      }
      if (call.has('-l --list')) return;
      asOther(call);
      const directory = call.value('-D --chdir');
      const payload = { assignments, ...(directory ? { cwd: call.path(directory) } : {}) };
      if (call.has('-e --edit')) for (const word of words) call.writes(word);
      else if (call.has('-i --login -s --shell') && words.length === 1 && /\s/.test(words[0]?.raw ?? '')) call.shellWords(words, payload);
      else call.run(words, payload);
    },
    match: [
      'sudo apt-get install jq',
      'sudo -u postgres psql',
      'echo pw | sudo -S id',
      'sudo -kS ls',
      'sudo -i',
      'sudo -e /etc/hosts',
      'sudo A=1 rm -rf /srv',
      'sudo -v',
    ],
    not_match: ['sudo -l', 'sudo -k', 'sudo --version', 'sudo -n -l'],
  },
  {
    names: ['sudoedit', 'visudo', 'vipw', 'vigr'],
    check: (call) => {
      if (call.has('-c --check')) return;
      asOther(call);
      for (const operand of call.operands) call.writes(operand);
    },
    match: ['sudoedit /etc/fstab', 'visudo', 'vipw -s'],
    not_match: ['visudo -c'],
  },
  {
    names: ['doas'],
    options: { values: '-C -u -a', stop: true },
    wrapper: true,
    privileged: true,
    check: (call) => {
      asOther(call);
      if (call.has('-s')) interactive(call);
      call.runFrom(call.parsed().rest);
    },
    match: ['doas rm -rf /srv', 'doas -u www ls', 'doas -s'],
    not_match: ['doas --version'],
  },
  {
    names: ['pkexec'],
    options: { values: '--user', stop: true },
    wrapper: true,
    privileged: true,
    check: (call) => {
      asOther(call);
      call.runFrom(call.parsed().rest);
    },
    match: ['pkexec ls /root', 'pkexec --user bob git reset --hard'],
    not_match: ['pkexec --version'],
  },
  {
    names: ['su', 'runuser'],
    options: { values: '-c -s -g -G -w -u --command --session-command --shell --group --supp-group --whitelist-environment --user' },
    wrapper: true,
    privileged: true,
    check: (call) => {
      asOther(call);
      if (call.stdin) passwordOnStdin(call);
      const codes = call.values('-c --command --session-command');
      for (const code of codes) call.shell(code.raw);
      const operands = call.operands.filter((operand) => operand.raw !== '-');
      if (call.name === 'runuser' && call.has('-u --user') && operands.length) call.run(operands);
      else if (!codes.length) interactive(call);
    },
    match: ['su -c "rm -rf /srv" root', 'su - postgres', 'echo pw | su root', 'runuser -u www -- git reset --hard'],
    not_match: ['su --version', 'runuser --help'],
  },
  {
    names: ['sg', 'newgrp'],
    options: { style: 'none' },
    wrapper: true,
    check: (call) => {
      const words = call.args.filter((arg) => arg.raw !== '-' && arg.raw !== '-c' && arg.raw !== '-l').slice(1);
      if (words.length) call.shellWords(words);
      else interactive(call);
    },
    match: ['sg docker -c "docker system prune -af"', 'newgrp docker'],
    not_match: ['sg dev -c "make test"'],
  },
];
