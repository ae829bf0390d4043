import type { Program } from '../program.js';
import { rule } from './system-common.js';

export const storage: readonly Program[] = [
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
];
