import type { Program } from '../program.js';
import { rule } from './system-common.js';

export const hostNetwork: readonly Program[] = [
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
    names: ['nsupdate', 'rndc', 'unbound-control', 'pdnsutil', 'knotc'],
    options: { values: '-k -y -v -p -s -c' },
    rules: [
      rule('net.dns', 'remote-service', 'It changes what names mean in the network.', {
        test: (call) =>
          !/^(?:status|check-zone|list-zones?|list-all-zones|zone-status|stats|show-zone)$/.test(call.operand(0) ?? '') &&
          !call.has('-V -h'),
      }),
    ],
    match: ['nsupdate -k key changes.txt', 'rndc flush', 'pdnsutil delete-zone h.example'],
    not_match: ['rndc status', 'nsupdate -V'],
  },
];
