import type { Call } from '../call.js';
import type { Program, Rule } from '../program.js';
import { rule } from './system-common.js';

const stopsMachine = (more: Partial<Rule> = {}): Rule =>
  rule('sys.power', 'processes', 'It stops or restarts the machine.', { verdict: 'deny', ...more });

const queryOnly = (call: Call): boolean => call.has('--help --version');

function kill(call: Call): void {
  const words = call.args.map((arg) => arg.raw);
  if (/^-(?:l|L|-list|-table)/.test(words[0] ?? '')) return;
  let signal = '';
  let at = 0;
  if (/^(?:-s|-n|--signal)$/.test(words[0] ?? '')) {
    signal = words[1] ?? '';
    at = 2;
  } else if (/^-s?(?:\d+|[A-Z]\w*)$/.test(words[0] ?? '') || /^--signal=/.test(words[0] ?? '')) {
    signal = (words[0] ?? '').replace(/^(?:--signal=|-)/, '');
    at = 1;
  }
  if (words[at] === '--') at++;
  const targets = words.slice(at);
  if (signal === '0') return;
  const everything = targets.includes('-1') || (targets.length === 0 && signal === '1');
  if (everything) call.report('proc.kill-all', 'processes', 'It ends every process of the user.', { verdict: 'deny' });
  else if (targets.includes('1')) call.report('proc.kill-init', 'processes', 'It signals the process on which all others depend.');
  else if (/^(?:SIG)?(?:9|KILL|STOP|19)$/i.test(signal))
    call.report('proc.kill', 'processes', 'It ends processes without letting them clean up.', { alternative: 'kill PID' });
  else if (targets.some((target) => /^-\d+$/.test(target))) call.report('proc.kill', 'processes', 'It ends a whole group of processes.');
}

const services: readonly Rule[] = [
  stopsMachine({
    when: 'poweroff|reboot|halt|kexec|emergency|rescue|exit|soft-reboot|switch-root',
    test: (call) => !call.has('--help --user'),
  }),
  stopsMachine({ when: 'isolate|start|default rescue.target|emergency.target|poweroff.target|reboot.target|halt.target' }),
  rule('sys.service', 'processes', 'It changes which services run, now or from now on.', {
    when: 'stop|restart|try-restart|reload-or-restart|disable|mask|enable|reenable|edit|link|revert|set-environment|unset-environment|import-environment|isolate|kill|suspend|hibernate|hybrid-sleep|sleep|set-default|set-property|preset|preset-all|daemon-reexec|add-wants|add-requires|clean|freeze|bind|mount-image|unmask|start|reload|delete|soft-reboot|log-level|reset-failed',
    test: (call) =>
      !/^(?:reload|reset-failed|log-level)$/.test(call.operand(0) ?? '') && !(call.operand(0) === 'start' && call.has('--user')),
  }),
];

export const powerAndServices: readonly Program[] = [
  {
    names: ['shutdown', 'reboot', 'halt', 'poweroff', 'kexec', 'pm-hibernate', 'pm-suspend', 'grub-reboot'],
    options: { values: '-t' },
    rules: [stopsMachine({ test: (call) => !call.has('-c --help --version --show') && !call.args.some((arg) => arg.raw === '-?') })],
    match: ['shutdown -r now', 'shutdown +5', 'reboot -f', 'halt -p', 'poweroff'],
    not_match: ['shutdown -c', 'reboot --help', 'shutdown --show'],
  },
  {
    names: ['init', 'telinit'],
    rules: [
      stopsMachine({ when: '0|6|1|S|s|single' }),
      rule('sys.runlevel', 'processes', 'It changes what runs on the machine.', { when: '2|3|4|5|q|u|Q|U' }),
    ],
    match: ['init 0', 'telinit 6', 'init 1'],
    not_match: ['init --version'],
  },
  {
    names: ['systemctl'],
    options: {
      values: '-t -p -H -M -n -o -s --type --property --host --machine --lines --output --signal --state --root --kill-whom --what',
    },
    rules: services,
    match: [
      'systemctl stop nginx',
      'systemctl disable --now ssh',
      'systemctl reboot',
      'systemctl mask x',
      'systemctl edit x',
      'systemctl --user enable x',
      'systemctl isolate rescue.target',
      'systemctl kill x',
      'systemctl restart nginx',
    ],
    not_match: ['systemctl status nginx', 'systemctl list-units', 'systemctl is-active x', 'systemctl cat x', 'systemctl --user status'],
  },
  {
    names: [
      'service',
      'rc-service',
      'rc-update',
      'chkconfig',
      'update-rc.d',
      'sv',
      'svcadm',
      'initctl',
      'invoke-rc.d',
      'supervisorctl',
      'monit',
      'circusctl',
      'pm2',
      'forever',
      's6-svc',
      's6-rc',
      'runsvchdir',
      'dinitctl',
      'launchctl',
      'brew-services',
      'apachectl',
      'apache2ctl',
      'nginx',
      'haproxy',
      'httpd',
      'caddy',
    ],
    options: { values: '-c -f -n -i -s -u -p -t --name --config --adapter' },
    rules: [
      rule('sys.service', 'processes', 'It changes which services run, now or from now on.', {
        when: '... stop|restart|delete|del|remove|disable|kill|down|exit|shutdown|flush|off|force-stop|condrestart|graceful-stop|unload|load|bootstrap|bootout|submit|setenv|unsetenv|enable|add|defaults|stopall|unmonitor|once|kickstart|config|asuser|reboot|resurrect|startup|unstartup|set|rotate|update',
        test: (call) =>
          !(call.name === 'pm2' && /^(?:start|list|ls|status|logs|show|monit|describe|info)$/.test(call.operand(0) ?? '')) &&
          !/^(?:list|status|print|show|config-get|getenv)$/.test(call.operand(0) ?? '') &&
          !(/^(?:caddy|monit|haproxy)$/.test(call.name) && /^(?:config|set|update|add|enable)$/.test(call.operand(0) ?? '')),
      }),
      rule('sys.service', 'processes', 'It stops a server.', {
        option: '-s -k',
        test: (call) =>
          /^(?:nginx|apachectl|apache2ctl|httpd|haproxy)$/.test(call.name) &&
          /stop|quit|reload|restart|graceful/.test(
            `${call.value('-s')?.text ?? ''} ${call.operands.map((operand) => operand.text).join(' ')}`,
          ),
      }),
    ],
    match: [
      'service nginx stop',
      'launchctl load ~/x.plist',
      'pm2 delete all',
      'supervisorctl stop all',
      'update-rc.d x defaults',
      'nginx -s stop',
      'launchctl bootout gui/501/x',
      'pm2 kill',
      'rc-service nginx stop',
    ],
    not_match: [
      'service nginx status',
      'launchctl list',
      'pm2 list',
      'nginx -t',
      'pm2 logs',
      'pm2 start app.js',
      'supervisorctl status',
      'caddy validate',
    ],
  },
  {
    names: ['kill'],
    options: { style: 'none' },
    check: kill,
    match: ['kill -9 123', 'kill -KILL $PID', 'kill -9 -1', 'kill -s KILL 1', 'kill 1', 'kill -- -1', 'kill -STOP 5'],
    not_match: ['kill 1234', 'kill %1', 'kill -0 99', 'kill -l', 'kill -TERM "$PID"', 'kill -s TERM 8'],
  },
  {
    names: ['pkill', 'killall', 'killall5', 'skill', 'slay', 'fuser', 'xkill', 'fkill', 'kill-port'],
    options: { values: '-u -U -g -G -P -s -t -F -n --signal --euid --uid --user -I' },
    rules: [
      rule('proc.kill', 'processes', 'It ends every process that fits a name, also those of others.', {
        test: (call) =>
          (call.name === 'fuser'
            ? call.has('-k --kill')
            : !call.options.some((option) => /^-(?:0|l|L|-list|V)$/.test(option.name)) && call.value('-s --signal')?.text !== '0') &&
          !queryOnly(call),
      }),
    ],
    match: ['pkill node', 'killall -9 python', 'fuser -k 3000/tcp', 'pkill -f server', 'killall5'],
    not_match: ['pkill -0 node', 'fuser 3000/tcp', 'killall -l'],
  },
];
