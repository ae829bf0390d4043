import type { Call } from '../call.js';
import { anyBlockDevice, blockDevice } from '../places.js';
import type { Program, Rule } from '../program.js';

const rule = (id: string, reach: Rule['reach'], reason: string, more: Partial<Rule> = {}): Rule => ({ id, reach, reason, ...more });

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

export const system: readonly Program[] = [
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
  {
    names: [
      'useradd',
      'userdel',
      'usermod',
      'adduser',
      'deluser',
      'groupadd',
      'groupdel',
      'groupmod',
      'addgroup',
      'delgroup',
      'passwd',
      'chpasswd',
      'newusers',
      'gpasswd',
      'chage',
      'chsh',
      'chfn',
      'pwconv',
      'pwunconv',
      'grpconv',
      'dscl',
      'sysadminctl',
      'dseditgroup',
      'faillock',
      'pam_tally2',
      'loginctl',
      'realm',
      'net',
      'authconfig',
      'authselect',
      'smbpasswd',
      'htpasswd',
      'ldapadd',
      'ldapdelete',
      'ldapmodify',
      'kadmin',
      'kadmin.local',
      'ipa',
      'samba-tool',
    ],
    options: { values: '-u -g -G -s -d -c -p -h -b' },
    rules: [
      rule('sys.accounts', 'filesystem', 'It changes accounts, groups or passwords.', {
        test: (call) =>
          (!/^(?:loginctl|net|dscl|realm|ipa|faillock|htpasswd|authselect)$/.test(call.name) ||
            /^(?:terminate|kill|enable|disable|lock|delete|del|create|append|merge|change|passwd|user|group|join|leave|stop|use|select|-delete|-create|-append|-passwd)/.test(
              call.args.filter((arg) => !arg.raw.startsWith('/') && arg.raw !== '.').map((arg) => arg.text)[0] ?? '',
            ) ||
            call.has('--reset') ||
            (call.name === 'dscl' &&
              /-(?:create|delete|append|passwd|change|merge)|^\.? ?(?:create|delete|append|passwd)/.test(
                call.args.map((arg) => arg.text).join(' '),
              ))) &&
          !call.has('-S --status --list -l'),
      }),
    ],
    match: [
      'useradd -m x',
      'userdel -r bob',
      'passwd root',
      'usermod -aG sudo dev',
      'echo a:b | chpasswd',
      'chsh -s /bin/zsh',
      'gpasswd -a dev docker',
      'dscl . -create /Users/x',
      'loginctl terminate-user bob',
    ],
    not_match: ['passwd -S dev', 'chage -l dev', 'loginctl list-sessions'],
  },
  {
    names: ['iptables', 'ip6tables', 'iptables-legacy', 'iptables-nft', 'ebtables', 'arptables'],
    options: { values: '-t -p -s -d -i -o -j -m --dport --sport -D -A -I -N -X -P -E -R' },
    rules: [
      rule('net.firewall', 'host', 'It changes which traffic the machine lets through.', {
        option:
          '-A -I -D -R -F -X -Z -P -N -E --append --insert --delete --replace --flush --policy --new-chain --delete-chain --zero --rename-chain',
        unless: '-C --check',
      }),
    ],
    match: ['iptables -F', 'iptables -P INPUT DROP', 'iptables -A INPUT -j DROP', 'iptables -t nat -F'],
    not_match: ['iptables -L -n', 'iptables -S', 'iptables -t nat -L'],
  },
  {
    names: [
      'nft',
      'ufw',
      'firewall-cmd',
      'ipset',
      'pfctl',
      'ipfw',
      'iptables-restore',
      'ip6tables-restore',
      'fail2ban-client',
      'shorewall',
      'csf',
      'tc',
      'netsh',
      'csf-fw',
      'setkey',
      'bpftool',
      'ethtool',
      'nmcli',
      'networksetup',
      'scutil',
      'ifup',
      'ifdown',
      'route',
      'arp',
      'brctl',
      'ovs-vsctl',
      'iw',
      'rfkill',
      'resolvectl',
      'netplan',
      'systemd-resolve',
      'ipvsadm',
      'conntrack',
      'vtysh',
      'birdc',
    ],
    options: { values: '-t -f -i' },
    rules: [
      rule('net.firewall', 'host', 'It changes the network of the machine, or which traffic it lets through.', {
        test: (call) => {
          const words = call.args.map((arg) => arg.text).join(' ');
          if (/^(?:ifup|ifdown|iptables-restore|ip6tables-restore|setkey)$/.test(call.name)) return true;
          if (call.name === 'pfctl') return /-(?:F|d|e|f|k|t|x)/.test(words) && !/^-s/.test(words);
          if (call.name === 'firewall-cmd')
            return /--(?:add|remove|set|reload|complete-reload|panic|permanent|new|delete|change|direct|runtime-to)/.test(words);
          return (
            /(?:^|\s)-?-?(?:add|del|delete|flush|insert|replace|reset|disable|enable|deny|allow|reject|limit|destroy|create|swap|restore|set|setairportpower|setdnsservers|setwebproxy|stop|unban|unbanip|banip|down|up|off|on|mod|modify|apply|change|block|unblock|revert|load|prog|detach|attach|C|D|A|E|F|-set|rename|disconnect|generate|try|clear|default)(?:\s|$)/.test(
              words,
            ) && !/^(?:list|show|status)\b/.test(words)
          );
        },
      }),
    ],
    match: [
      'nft flush ruleset',
      'ufw disable',
      'ufw allow 22',
      'firewall-cmd --add-port=80/tcp',
      'ipset destroy',
      'pfctl -d',
      'route del default',
      'nmcli con down eth0',
      'tc qdisc add dev eth0 root netem loss 100%',
    ],
    not_match: ['nft list ruleset', 'ufw status', 'firewall-cmd --list-all', 'route -n', 'nmcli device status', 'pfctl -s rules'],
  },
  {
    names: ['ip', 'ifconfig'],
    options: { values: '-n -netns -b -batch -f -family', style: 'words' },
    rules: [
      rule('net.firewall', 'host', 'It changes the network of the machine.', {
        test: (call) =>
          call.args.slice(1).some((arg) => /^(?:add|del|delete|flush|set|replace|change|append|down|up|a|d|s)$/.test(arg.text)) &&
          !call.args.some((arg) => /^(?:show|list|ls|get|exec)$/.test(arg.text)) &&
          (call.name === 'ifconfig' || call.operands.length > 1),
      }),
      rule('option.reads', 'host', 'It takes its commands from a file.', { option: '-b -batch -force' }),
    ],
    check: (call) => {
      const at = call.args.findIndex((arg) => arg.text === 'exec');
      if (call.operand(0) === 'netns' && at >= 0) {
        call.report('sys.namespace', 'host', 'It runs a command in another network.', { durable: false });
        call.runFrom(at + 2);
      }
    },
    match: [
      'ip link set eth0 down',
      'ip route del default',
      'ip addr flush dev eth0',
      'ip netns exec x rm -rf ~/x',
      'ifconfig eth0 down',
      'ip addr add 10.0.0.1/24 dev eth0',
    ],
    not_match: ['ip addr', 'ip route show', 'ip -br link', 'ifconfig', 'ip a', 'ip link show eth0'],
  },
  {
    names: [
      'sysctl',
      'modprobe',
      'insmod',
      'rmmod',
      'depmod',
      'kmod',
      'mount',
      'umount',
      'fusermount',
      'swapon',
      'swapoff',
      'losetup',
      'dmsetup',
      'dmesg',
      'hostnamectl',
      'timedatectl',
      'localectl',
      'hwclock',
      'ntpdate',
      'setterm',
      'loadkeys',
      'grub-install',
      'grub-mkconfig',
      'update-grub',
      'update-initramfs',
      'mkinitcpio',
      'dracut',
      'efibootmgr',
      'bootctl',
      'kexec-tools',
      'setpci',
      'rdmsr',
      'wrmsr',
      'flashrom',
      'fwupdmgr',
      'nvram',
      'csrutil',
      'spctl',
      'tmutil',
      'pmset',
      'systemsetup',
      'defaults',
      'security',
      'kextload',
      'kextunload',
      'profiles',
      'bless',
      'nvidia-smi',
      'auditctl',
      'aa-disable',
      'aa-complain',
      'aa-teardown',
      'apparmor_parser',
      'augenrules',
      'sestatus',
      'update-ca-certificates',
      'trust',
      'ldconfig',
      'locale-gen',
      'quotaon',
      'quotaoff',
      'edquota',
      'setquota',
      'tuned-adm',
      'cpupower',
      'turbostat',
      'prelink',
      'debsums',
      'tripwire',
      'aide',
      'rkhunter',
      'setxkbmap',
      'xset',
    ],
    options: { values: '-t -o -L -w -p -n -r' },
    rules: [
      rule('sys.kernel', 'host', 'It changes the kernel, the mounts, the boot or the settings of the machine.', {
        test: (call) => {
          const words = call.args.map((arg) => arg.text);
          const line = words.join(' ');
          switch (call.name) {
            case 'sysctl':
              return /(?:^|\s)-\w*w|=|(?:^|\s)(?:-p|--system|--load)/.test(line);
            case 'mount':
              return call.operands.length > 0 || call.has('-a -o --bind --all');
            case 'kmod':
              return !/^(?:list|help|static-nodes)/.test(line);
            case 'modprobe':
              return !call.has('-c --showconfig -D --show-depends -n --dry-run -R --resolve-alias --dump-modversions');
            case 'losetup':
            case 'dmsetup':
              return /(?:^|\s)(?:-d|-D|-f|--detach|--detach-all|--find|remove|remove_all|wipe_table|suspend|create|clear)(?:\s|$)/.test(
                line,
              );
            case 'dmesg':
              return call.has('-C -c --clear --read-clear -D --console-off -n --console-level');
            case 'hostnamectl':
            case 'timedatectl':
            case 'localectl':
            case 'systemsetup':
              return /(?:^|\s)-?(?:set|hostname\s+\S|remove|add|apply)/.test(line);
            case 'swapon':
            case 'hwclock':
            case 'xset':
            case 'setterm':
            case 'nvidia-smi':
            case 'efibootmgr':
            case 'bootctl':
            case 'fwupdmgr':
            case 'cpupower':
            case 'tuned-adm':
              return (
                /(?:^|\s)-(?:a|w|s|c|B|o|b|r|-systohc|-set|-gpu-reset|-create|-delete-bootnum|-bootorder|-bootnext|pl|e|mig|lgc)(?:\s|=|$)|(?:^|\s)(?:install|remove|update|downgrade|install-blob|frequency-set|set|profile|off|set-default|set-oneshot|dpms|s)(?:\s|$)/.test(
                  line,
                ) && !(call.name === 'swapon' && call.has('-s --show --summary'))
              );
            case 'nvram':
              return /(?:^|\s)-[dcf]|=/.test(line);
            case 'csrutil':
            case 'spctl':
              return /disable|enable|clear|--master|--global|--add|--remove|--reset/.test(line);
            case 'tmutil':
              return /delete|disable|stop|thin|restore|remove|set/.test(line);
            case 'pmset':
              return !/^-g/.test(line) && line !== '';
            case 'defaults':
              return /(?:^|\s)(?:write|delete|import|rename)(?:\s|$)/.test(line);
            case 'security':
              return /^(?:delete|add|set|import|export|find-generic-password|find-internet-password|dump|unlock|lock|remove|create|authorizationdb|trust|default-keychain)/.test(
                line,
              );
            case 'profiles':
              return /(?:^|\s)-?(?:remove|install|I|R|D)/.test(line);
            case 'trust':
              return /^(?:anchor|extract)/.test(line) && !/--?l/.test(line);
            case 'aide':
            case 'tripwire':
            case 'rkhunter':
            case 'sestatus':
            case 'setxkbmap':
            case 'turbostat':
            case 'debsums':
            case 'rdmsr':
              return /--(?:init|update|propupd)/.test(line);
            case 'auditctl':
              return !/^-(?:l|s|v)$/.test(line) && line !== '';
            default:
              return !call.has('--help --version --print -p --list');
          }
        },
      }),
      rule('sys.unmount-all', 'host', 'It detaches every filesystem.', {
        option: '-a --all',
        test: (call) => call.name === 'umount' || call.name === 'swapoff',
      }),
    ],
    match: [
      'sysctl -w net.ipv4.ip_forward=1',
      'modprobe x',
      'rmmod x',
      'mount /dev/sdb1 /mnt',
      'umount -a',
      'swapoff -a',
      'dmesg -C',
      'hostnamectl set-hostname x',
      'timedatectl set-time 10:00',
      'defaults write com.x y -bool true',
      'csrutil disable',
      'spctl --master-disable',
      'nvram boot-args=x',
      'tmutil delete x',
      'security find-generic-password -w -s x',
      'update-grub',
      'losetup -D',
      'mount --bind / /x',
      'insmod x.ko',
      'kextload x',
    ],
    not_match: [
      'sysctl -a',
      'mount',
      'dmesg | tail',
      'hostnamectl',
      'timedatectl status',
      'defaults read com.x',
      'losetup -a',
      'csrutil status',
      'nvidia-smi',
      'pmset -g',
      'swapon --show',
      'sysctl kernel.hostname',
      'tmutil listbackups',
      'security list-keychains',
    ],
  },
  {
    names: ['journalctl', 'logrotate', 'auditd', 'ausearch', 'last', 'utmpdump', 'wtmp', 'logger'],
    options: {
      values:
        '-u -n -o -p -S -U -t -b -g --unit --lines --output --priority --since --until --grep --vacuum-size --vacuum-time --vacuum-files -s --state',
    },
    rules: [
      rule('sys.logs', 'filesystem', 'It deletes the record of what happened on the machine.', {
        option: '--vacuum-size --vacuum-time --vacuum-files --rotate --flush --relinquish-var --setup-keys',
        test: (call) => call.name === 'journalctl',
      }),
      rule('sys.logs', 'filesystem', 'It rotates or deletes logs.', { option: '-f --force', test: (call) => call.name === 'logrotate' }),
    ],
    match: ['journalctl --vacuum-size=1M', 'journalctl --rotate', 'logrotate -f /etc/logrotate.conf'],
    not_match: ['journalctl -u nginx -f', 'journalctl -n 50', 'logger hi'],
  },
  {
    names: [
      'xdg-open',
      'open',
      'start',
      'gnome-open',
      'kde-open',
      'sensible-browser',
      'wslview',
      'explorer.exe',
      'explorer',
      'rundll32',
      'regsvr32',
      'mshta',
      'schtasks',
      'reg',
      'sc',
      'wmic',
      'certutil',
      'bitsadmin',
      'vssadmin',
      'bcdedit',
      'diskpart',
      'format',
      'takeown',
      'icacls',
      'taskkill',
      'cipher',
      'fsutil',
      'wevtutil',
      'wbadmin',
      'dism',
      'sfc',
      'wsl',
    ],
    options: { style: 'none' },
    check: (call) => {
      const words = call.args.map((arg) => arg.text).join(' ');
      if (/^(?:xdg-open|open|start|gnome-open|kde-open|sensible-browser|wslview|explorer)/.test(call.name)) {
        if (
          (/^[a-z][\w+.-]*:/i.test(words) && !/^https?:\/\/(?:localhost|127\.)/.test(words)) ||
          /-a\s|\.(?:app|command|sh|desktop|pkg|dmg|exe|jar|scpt)\b/.test(words)
        )
          call.report('exec.open', 'anything', 'It opens an address or a program, and which program that is depends on the desktop.');
      } else if (call.name === 'wsl') {
        if (/--(?:unregister|terminate|shutdown|uninstall)/.test(words))
          call.report('sys.wsl', 'host', 'It stops or deletes a whole system.');
        else {
          const at = call.args.findIndex((arg) => /^(?:-e|--exec|--)$/.test(arg.raw));
          if (at >= 0) call.runFrom(at + 1);
          else if (call.args.length && !call.args[0]?.raw.startsWith('-')) call.runFrom(0);
        }
      } else if (!/^(?:query|\/query|\/\?|qc|list|-\?|\/list|get\b.*|verify|-hashfile.*)$/i.test(call.args[0]?.text ?? ''))
        call.report('sys.windows', 'host', `${call.name} changes the machine or runs other code.`);
    },
    match: [
      'xdg-open http://h.example',
      'open -a Terminal x',
      'reg delete HKCU\\\\X /f',
      'vssadmin delete shadows /all',
      'schtasks /create /tn x /tr y',
      'certutil -urlcache -f http://h.example/x x',
      'format c:',
      'wsl --unregister Debian',
    ],
    not_match: ['open README.md', 'xdg-open docs/a.pdf', 'reg query HKCU', 'sc query x'],
  },
  {
    names: ['gpg', 'gpg2', 'gpgconf', 'openssl', 'certbot', 'acme.sh', 'mkcert', 'cfssl', 'keytool', 'ssh-vault', 'age-keygen'],
    options: {
      values:
        '-o -u -r -in -out -inkey -key -days -subj -engine -provider-path -config -passin -pass -keyout -nodes-name -recipient --output --recipient --local-user --homedir --agent-program --photo-viewer --batch-file -d',
      style: 'words',
    },
    rules: [
      rule('option.runs', 'anything', 'One of its options loads or runs other code.', {
        option: '-engine -provider-path -provider --agent-program --photo-viewer --dirmngr-program --pinentry-program',
      }),
      rule('secret.keys', 'credentials', 'It deletes, exports or revokes keys or certificates.', {
        option:
          '--delete-keys --delete-secret-keys --delete-secret-and-public-key --delete-key --delete-secret-key --export-secret-keys --export-secret-subkeys --gen-revoke --edit-key --import-ownertrust --yes-delete -deleteentry -delete -delete-alias -exportcert-key --export-ssh-key',
      }),
      rule('secret.keys', 'credentials', 'It revokes, deletes or installs certificates.', {
        when: 'revoke|delete|unregister|-install|rollback|--install|-uninstall|--revoke|--remove',
        test: (call) => /^(?:certbot|mkcert|acme\.sh)$/.test(call.name),
      }),
      rule('secret.keys', 'credentials', 'It changes which certificates the machine trusts.', {
        option: '-install -uninstall',
        test: (call) => call.name === 'mkcert',
      }),
    ],
    check: (call) => {
      for (const file of call.values('-out -keyout -o --output')) call.writes(file);
      for (const file of call.values('-in'))
        if (call.name === 'openssl' && /^(?:enc|base64|smime|cms|dgst)$/.test(call.operand(0) ?? '')) call.reads(file);
      if (call.name === 'openssl' && call.operand(0) === 's_client' && call.stdin && call.stdin.sources.has('secret'))
        call.report('exfil.secret', 'credentials', 'It sends secrets over the network.');
    },
    output: (call) =>
      call.name === 'openssl' && call.args.some((arg) => arg.raw === '-d') ? { text: undefined, sources: new Set(['decoded']) } : undefined,
    match: [
      'gpg --delete-secret-keys x',
      'gpg --export-secret-keys',
      'openssl req -engine ./x',
      'openssl rand -out ~/.bashrc 10',
      'certbot revoke --cert-path x',
      'mkcert -install',
      'openssl enc -base64 -in ~/.ssh/id_rsa',
      'echo x | openssl base64 -d | sh',
    ],
    not_match: [
      'gpg --verify a.sig a',
      'openssl rand -hex 16',
      'openssl x509 -in c.pem -text',
      'gpg --list-keys',
      'certbot certificates',
      'openssl genrsa -out dev.key 2048',
    ],
  },
];

export const disks: readonly Program[] = [
  {
    names: ['mkfs', 'mke2fs', 'mkswap', 'mkdosfs', 'newfs', 'mkntfs', 'mkudffs', 'bcachefs', 'mkfs.fat', 'newfs_apfs', 'newfs_hfs'],
    options: { values: '-t -L -U -n -b -I -F' },
    rules: [
      rule('disk.format', 'host', 'It makes a new filesystem and deletes what is stored there.', {
        verdict: 'deny',
        test: (call) =>
          call.operands.length > 0 &&
          !(call.has('-n') && call.name !== 'mkfs') &&
          (call.operands.some(
            (operand) =>
              blockDevice.test(call.path(operand)) ||
              anyBlockDevice.test(call.path(operand)) ||
              operand.dynamic ||
              call.path(operand).startsWith('/dev/'),
          ) ||
            (/^(?:mkfs|mke2fs|mkswap|newfs)/.test(call.name) &&
              !call.operands.some((operand) => /\.(?:img|raw|iso|bin|qcow2|disk)$/.test(operand.text)))),
      }),
      rule('disk.format', 'filesystem', 'It makes a new filesystem in a file.', {
        test: (call) => call.operands.some((operand) => /\.(?:img|raw|iso|bin|qcow2|disk)$/.test(operand.text)),
      }),
    ],
    match: ['mkfs.ext4 /dev/sdb1', 'mkfs -t xfs /dev/vdb', 'mkswap /dev/sda2', 'mkfs.vfat -F 32 disk.img', 'mke2fs /dev/nvme0n1p1'],
    not_match: ['mkfs.ext4 --version', 'mkfs --help', 'mkfs.ext4 -V'],
  },
  {
    names: [
      'wipefs',
      'blkdiscard',
      'sgdisk',
      'gdisk',
      'cgdisk',
      'fdisk',
      'cfdisk',
      'sfdisk',
      'parted',
      'partprobe',
      'hdparm',
      'nvme',
      'badblocks',
      'diskutil',
      'asr',
      'hdiutil',
      'gpart',
      'diskpart',
      'sg_format',
      'sg_sanitize',
      'mmc',
      'fdformat',
      'partclone',
      'ddrescue',
      'e2fsck',
      'fsck',
      'tune2fs',
      'resize2fs',
      'xfs_repair',
      'btrfs',
      'debugfs',
      'e2image',
      'ntfsfix',
      'testdisk',
      'parted-magic',
      'growpart',
      'xfs_admin',
      'xfs_growfs',
      'fstrim',
    ],
    options: { values: '-o -t -s -n -d -c -u -p --type --script' },
    rules: [
      rule('disk.erase', 'host', 'It erases or rewrites the layout of a disk, and with it what is stored there.', {
        verdict: 'deny',
        test: (call) => {
          const line = call.args.map((arg) => arg.text).join(' ');
          switch (call.name) {
            case 'wipefs':
              return call.has('-a --all -o --offset');
            case 'blkdiscard':
            case 'fdformat':
            case 'sg_format':
            case 'sg_sanitize':
              return call.operands.length > 0;
            case 'sgdisk':
              return (
                /(?:^|\s)-(?:Z|o|d|n|g|G|t|s|r|R|-zap-all|-zap|-clear|-delete|-new|-mbrtogpt|-load-backup|-replicate)/.test(line) ||
                /(?:^|\s)-z/.test(line)
              );
            case 'gdisk':
            case 'cgdisk':
            case 'cfdisk':
              return call.operands.length > 0 && !call.has('-l');
            case 'fdisk':
              return !call.has('-l -s -x --list --getsz --list-details') && call.operands.length > 0;
            case 'sfdisk':
              return (
                !call.has('-l -d -J -F -g -s -V -T -n --list --dump --json --list-free --verify --no-act') &&
                (call.operands.length > 0 || call.has('--delete -A --wipe'))
              );
            case 'parted':
              return /\b(?:mklabel|mktable|mkpart|rm|resizepart|mkfs|rescue|disk_set|set|name|toggle)\b/.test(line);
            case 'hdparm':
              return /--security-|--trim-sector|--write-sector|--make-bad-sector|--dco-restore|-N\s?p/.test(line);
            case 'nvme':
              return /^(?:format|sanitize|delete-ns|write|write-zeroes|reset|subsystem-reset|fw-|dsm|security-send|create-ns|detach-ns)/.test(
                line,
              );
            case 'badblocks':
              return /(?:^|\s)-\w*w/.test(line);
            case 'diskutil':
              return /^(?:(?:quiet\s+)?(?:erase\w*|partitionDisk|zeroDisk|secureErase|randomDisk|reformat|splitPartition|mergePartitions|resizeVolume)|apfs\s+(?:delete\w*|erase\w*|create\w*|resize\w*)|(?:cs|coreStorage)\s+(?:delete|create)|appleRAID\s+delete)/i.test(
                line,
              );
            case 'asr':
              return /--erase|restore/.test(line);
            case 'gpart':
              return /^(?:destroy|delete|create|add|modify|resize|bootcode|set)/.test(line);
            case 'btrfs':
              return (
                /^(?:device|dev)\s+(?:delete|remove)|^subvolume\s+delete|^check\s+.*--repair|^rescue/.test(line) &&
                /^check|^rescue/.test(line)
              );
            default:
              return false;
          }
        },
      }),
      rule('disk.change', 'host', 'It changes a disk or its filesystem.', {
        test: (call) => {
          const line = call.args.map((arg) => arg.text).join(' ');
          if (/^(?:fsck|e2fsck|xfs_repair|ntfsfix|testdisk)$/.test(call.name))
            return !call.has('-n -N -V --no-action') && call.operands.length > 0;
          if (/^(?:tune2fs|resize2fs|growpart|xfs_admin|xfs_growfs|debugfs|ddrescue|partclone|e2image|fstrim)$/.test(call.name))
            return call.operands.length > 0 && !(call.has('-l -n --dry-run -R') && !/-w/.test(line));
          if (call.name === 'btrfs')
            return /delete|remove|balance|replace|defragment|set-default|disable|--repair|send|receive|resize/.test(line);
          if (call.name === 'diskutil')
            return /unmount|eject|repair|rename|mount|enable|disable|apfs|cs/i.test(line) && !/^(?:list|info|apfs list|cs list)/.test(line);
          if (call.name === 'hdiutil') return /^(?:attach|detach|create|convert|resize|erasekeys|burn)/.test(line);
          return call.name === 'hdparm' && /(?:^|\s)-(?:W|B|S|y|Y|Z)\s?\d?/.test(line);
        },
      }),
    ],
    match: [
      'wipefs --all /dev/sdb',
      'sgdisk -Z /dev/sda',
      'fdisk /dev/sda',
      'parted -s /dev/sda mklabel gpt',
      'blkdiscard /dev/nvme0n1',
      'diskutil eraseDisk APFS X disk2',
      'sfdisk /dev/sda < layout',
      'nvme format /dev/nvme0',
      'hdparm --security-erase x /dev/sda',
      'fsck -y /dev/sda1',
      'btrfs subvolume delete /x',
      'badblocks -w /dev/sdb',
    ],
    not_match: [
      'fdisk -l',
      'parted -l',
      'wipefs /dev/sdb',
      'diskutil list',
      'sgdisk -p /dev/sda',
      'hdparm -I /dev/sda',
      'nvme list',
      'btrfs filesystem df /',
      'sfdisk -d /dev/sda',
      'fsck -N /dev/sda1',
    ],
  },
  {
    names: [
      'cryptsetup',
      'zpool',
      'zfs',
      'lvremove',
      'vgremove',
      'pvremove',
      'lvreduce',
      'vgreduce',
      'lvcreate',
      'vgcreate',
      'pvcreate',
      'lvextend',
      'lvresize',
      'lvconvert',
      'lvchange',
      'vgchange',
      'pvmove',
      'mdadm',
      'dmraid',
      'megacli',
      'storcli',
      'ceph',
      'rados',
      'rbd',
      'gluster',
      'drbdadm',
      'multipath',
      'iscsiadm',
      'tgtadm',
      'targetcli',
      'beegfs-ctl',
      'lctl',
      'snapper',
      'timeshift',
      'stratis',
      'bcache',
      'tankctl',
      'mc-admin',
      'linstor',
      'longhornctl',
    ],
    options: { values: '-o -t -n -L -s -p -r -C -l -b -m -a' },
    rules: [
      rule('disk.erase', 'host', 'It destroys storage and what is kept there.', {
        verdict: 'deny',
        when: '... luksFormat|erase|luksErase|luksKillSlot|reencrypt',
        test: (call) => call.name === 'cryptsetup',
      }),
      rule('disk.erase', 'host', 'It destroys storage and what is kept there.', {
        verdict: 'deny',
        test: (call) =>
          (/^(?:pvremove|vgremove|lvremove)$/.test(call.name) && !call.has('-t --test')) ||
          (call.name === 'zpool' && /^(?:destroy|labelclear)$/.test(call.operand(0) ?? '')) ||
          (call.name === 'mdadm' && call.has('--zero-superblock --create -C')),
      }),
      rule('disk.change', 'host', 'It destroys or changes storage and what is kept there.', {
        test: (call) => {
          const line = call.args.map((arg) => arg.text).join(' ');
          if (/^(?:lv|vg|pv)/.test(call.name)) return !call.has('-t --test --help');
          if (call.name === 'mdadm')
            return call.has('--stop -S --fail -f --remove -r --manage --grow --zero-superblock --create -C --assemble --add');
          if (call.name === 'zfs' && call.has('-n') && /^destroy/.test(line)) return false;
          return (
            /\b(?:destroy|delete|remove|rm|rollback|detach|offline|clear|labelclear|export|split|replace|create|receive|recv|rename|promote|set|purge|del|rmpool|trash|stop|reset|down|primary|invalidate|restore|close|luksRemoveKey|luksChangeKey|luksAddKey|open|luksOpen|undochange|out|in|crush|zap|osd|tell|unmap|map|resize|heal|reweight|mark_unfound_lost|repair|--delete-all|--delete|--restore|logout)\b/.test(
              line,
            ) &&
            !/^(?:list|status|get|info|show|ls|df|health|version|-s)\b/.test(line) &&
            !/\b(?:osd|pg|mon|mds)\s+(?:ls|tree|df|stat|dump|status)\b/.test(line)
          );
        },
      }),
    ],
    match: [
      'cryptsetup luksFormat /dev/sdb',
      'zpool destroy tank',
      'zfs destroy -r tank/x',
      'lvremove -f vg/x',
      'mdadm --stop /dev/md0',
      'ceph osd pool delete x x --yes-i-really-really-mean-it',
      'zfs rollback tank@x',
      'vgremove x',
      'mdadm --zero-superblock /dev/sdb',
      'rbd rm pool/x',
      'gluster volume delete x',
      'snapper delete 1',
    ],
    not_match: [
      'zpool status',
      'zfs list',
      'mdadm --detail /dev/md0',
      'cryptsetup status x',
      'ceph status',
      'ceph osd tree',
      'snapper list',
      'zfs get all tank',
    ],
  },
  {
    names: [
      'borg',
      'borgmatic',
      'restic',
      'duplicity',
      'duplicati-cli',
      'kopia',
      'rclone',
      'rdiff-backup',
      'bup',
      'bacula',
      'bconsole',
      'attic',
      'autorestic',
      'resticprofile',
      'rustic',
      'obnam',
      'syncthing',
      'unison',
      'pgbackup',
      'proxmox-backup-client',
      'zbackup',
      'dar',
    ],
    options: {
      values:
        '-r -p -o -C -e --repo --password-file --tag --host --path --keep-last --keep-daily --keep-weekly --keep-monthly --keep-within --config --filter --exclude --include --transfers --checkers --older-than --min-age --max-age --log-file --rsh',
    },
    rules: [
      rule('backup.delete', 'remote-service', 'It deletes backups or stored files.', {
        when: 'delete|prune|compact|break-lock|forget|unlock|rewrite|repair|recover|purge|deletefile|rmdir|rmdirs|sync|move|moveto|cleanup|bisync|dedupe|remove-all-but-n-full|remove-older-than|remove-all-inc-of-but-n-full|gc|restore|key|config|recreate|rm|delete-blobs|snapshot|migrate|backend|mount|serve|rcd|settier|archivefile|policy|maintenance|blob|expire|create',
        unless: '--dry-run -n --dryrun --dry',
        test: (call) => backupLoses(call),
      }),
      rule('backup.delete', 'remote-service', 'It deletes backups.', {
        option:
          '--delete --delete-excluded --delete-before --delete-after --delete-during --prune --remove-older-than --remove-source-files',
        unless: '--dry-run -n --dryrun',
      }),
      rule('option.runs', 'anything', 'One of its options runs another program.', {
        option: '--rsh --password-command --rclone.program --config-command --ssh-command',
      }),
    ],
    match: [
      'borg delete repo::x',
      'borg prune --keep-daily 7 repo',
      'restic forget --prune --keep-last 1',
      'rclone delete r:b',
      'rclone purge r:b',
      'rclone sync a r:b',
      'restic prune',
      'kopia snapshot delete x',
      'duplicity remove-older-than 1M x',
      'rclone move a r:b',
      'borg compact repo',
      'restic unlock --remove-all',
      'rclone serve http .',
    ],
    not_match: [
      'borg list',
      'borg create r::a src',
      'restic backup src',
      'rclone copy a r:b',
      'rclone ls r:',
      'restic snapshots',
      'rclone sync a r:b --dry-run',
      'borg prune --dry-run r',
      'kopia snapshot list',
      'borg extract --list r::a',
      'restic check',
    ],
  },
];

function backupLoses(call: Call): boolean {
  const [verb, sub] = [call.operand(0) ?? '', call.operand(1) ?? ''];
  switch (verb) {
    case 'key':
      return /^(?:remove|delete|change|import|export|passwd)/.test(sub);
    case 'config':
      return (
        /^(?:delete|update|create|password|dump|show|disconnect|reconnect)$/.test(sub) || (call.name === 'borg' && call.has('-d --delete'))
      );
    case 'snapshot':
    case 'policy':
    case 'maintenance':
    case 'blob':
      return /^(?:delete|expire|remove|run|set|gc|rm)$/.test(sub);
    case 'restore':
      return call.has('--delete --overwrite --force');
    case 'create':
    case 'mount':
    case 'migrate':
    case 'serve':
    case 'rcd':
      return /^(?:serve|rcd|migrate)$/.test(verb);
    case 'sync':
    case 'move':
    case 'moveto':
    case 'bisync':
    case 'dedupe':
    case 'cleanup':
    case 'deletefile':
    case 'rmdir':
    case 'rmdirs':
    case 'backend':
    case 'settier':
    case 'archivefile':
      return call.name === 'rclone' || verb === 'cleanup';
    default:
      return true;
  }
}
