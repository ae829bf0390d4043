import type { Program } from '../program.js';
import { rule } from './system-common.js';

export const kernel: readonly Program[] = [
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
];
