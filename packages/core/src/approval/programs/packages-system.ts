import type { Program } from '../program.js';
import { global, rule } from './packages-common.js';

export const packagesSystem: readonly Program[] = [
  {
    names: [
      'apt',
      'apt-get',
      'aptitude',
      'dpkg',
      'dpkg-reconfigure',
      'yum',
      'dnf',
      'rpm',
      'zypper',
      'pacman',
      'yay',
      'paru',
      'apk',
      'emerge',
      'xbps-install',
      'xbps-remove',
      'eopkg',
      'swupd',
      'snap',
      'flatpak',
      'nix-env',
      'nix-channel',
      'nix-collect-garbage',
      'guix',
      'port',
      'pkg',
      'pkg_add',
      'pkg_delete',
      'opkg',
      'tdnf',
      'microdnf',
      'rpm-ostree',
      'transactional-update',
      'add-apt-repository',
      'apt-key',
      'apt-mark',
      'update-alternatives',
      'alternatives',
      'dpkg-divert',
      'softwareupdate',
      'winget',
      'choco',
      'scoop',
      'mas',
      'installer',
    ],
    options: { values: '-o -c -t -r -p --repo --root --installroot -i' },
    rules: [
      rule('pkg.system', 'filesystem', 'It changes which programs are installed on the machine.', {
        test: (call) => {
          if (
            /^(?:dpkg-reconfigure|xbps-install|xbps-remove|pkg_add|pkg_delete|nix-collect-garbage|add-apt-repository|update-alternatives|alternatives|dpkg-divert|installer)$/.test(
              call.name,
            )
          )
            return !call.has('-l --list --display --query --get-selections -n --dry-run');
          const verbs =
            /^(?:install|reinstall|remove|purge|autoremove|autopurge|upgrade|dist-upgrade|full-upgrade|upgrade-minimal|build-dep|add|del|delete|uninstall|erase|downgrade|swap|distro-sync|group|groupinstall|groupremove|module|system-upgrade|clean|autoclean|refresh|revert|disable|enable|unmask|mask|hold|unhold|in|rm|up|dup|addrepo|ar|removerepo|rr|config-manager|override|rebase|rollback|deploy|edit-sources|adv|source|set|collect-garbage|pull|gc|connect|alias|remote-add|tap|fix|localinstall|history)$/;
          if (call.name === 'dpkg')
            return call.args.some((arg) =>
              /^-(?:i|r|P|-install|-remove|-purge|-unpack|-configure|-force-\S+|-set-selections|-clear-selections|-add-architecture|-remove-architecture|B|A)$/.test(
                arg.raw,
              ),
            );
          if (/^(?:rpm|pacman|yay|paru|nix-env|emerge|opkg)$/.test(call.name))
            return (
              call.args.some(
                (arg) =>
                  /^-(?:[a-zA-Z]*[iUeFrPSRCD][a-zA-Z]*|-(?:install|upgrade|erase|remove|purge|sync|uninstall|unmerge|depclean|configure|unpack|import|force-\S+|set|rollback|delete-generations))$/.test(
                    arg.raw,
                  ) && !/^-(?:q\w*|Q\w*|Ss|Si|F|Sl|S[sil]+|s|l|L|V|p|-query\S*|-list\S*|-search)$/.test(arg.raw),
              ) ||
              (verbs.test(call.operand(0) ?? '') && call.name === 'opkg')
            );
          return verbs.test(call.operand(0) ?? '') && !call.has('-s --simulate --dry-run --just-print --assumeno --download-only --print');
        },
      }),
      rule('option.runs', 'anything', 'One of its settings runs another program.', {
        test: (call) =>
          call.values('-o').some((value) => /(?:Pre|Post)-(?:Invoke|Install-Pkgs)|Dir::Bin|Changelog|::Pre-Invoke/.test(value.text)) ||
          call.operand(0) === 'changelog',
      }),
    ],
    match: [
      'apt-get install -y jq',
      'apt remove nginx',
      'dpkg -i x.deb',
      'rpm -e x',
      'yum erase httpd',
      'pacman -Rns x',
      'apk add curl',
      'snap install x',
      'dnf remove x',
      'add-apt-repository ppa:x/y',
      'apt-get purge x',
      'rpm -ivh http://h.example/x.rpm',
      'choco install x',
      'apt update -o APT::Update::Pre-Invoke::=id',
      'pacman -Syu',
    ],
    not_match: [
      'apt list --installed',
      'dpkg -l',
      'rpm -qa',
      'apt-cache search jq',
      'pacman -Qs x',
      'apk info',
      'dnf search x',
      'snap list',
      'apt show jq',
      'dpkg -S /bin/ls',
      'apt-get install -s jq',
      'pacman -Ss x',
    ],
  },
  {
    names: ['brew', 'linuxbrew'],
    rules: [
      global({
        when: 'install|reinstall|uninstall|remove|rm|upgrade|tap|untap|cask|link|unlink|autoremove|bundle|pin|unpin|switch|extract',
        unless: '-n --dry-run',
      }),
      rule('sys.service', 'processes', 'It changes which services run.', { when: 'services start|stop|restart|run|kill|cleanup' }),
      rule('pkg.cache', 'filesystem', 'It deletes what others have stored.', { when: 'cleanup', unless: '-n --dry-run' }),
    ],
    match: ['brew install jq', 'brew uninstall --force git', 'brew tap a/b', 'brew services stop postgresql'],
    not_match: ['brew list', 'brew info jq', 'brew --prefix', 'brew services list', 'brew search x', 'brew doctor'],
  },
];
