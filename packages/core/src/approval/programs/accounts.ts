import type { Program } from '../program.js';
import { rule } from './system-common.js';

export const accounts: readonly Program[] = [
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
      rule('sys.power', 'processes', 'It stops or restarts the machine.', {
        verdict: 'deny',
        when: 'poweroff|reboot|halt|kexec|soft-reboot',
        test: (call) => call.name === 'loginctl',
      }),
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
      'loginctl poweroff',
    ],
    not_match: ['passwd -S dev', 'chage -l dev', 'loginctl list-sessions'],
  },
];
