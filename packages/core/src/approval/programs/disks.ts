import { anyBlockDevice, blockDevice } from '../places.js';
import type { Program } from '../program.js';
import { rule } from './system-common.js';

export const disks: readonly Program[] = [
  {
    names: ['mkfs', 'mke2fs', 'mkswap', 'mkdosfs', 'newfs', 'mkntfs', 'mkudffs', 'bcachefs', 'mkfs.fat', 'newfs_apfs', 'newfs_hfs'],
    options: { values: '-t -L -U -n -b -I' },
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
    match: [
      'mkfs.ext4 /dev/sdb1',
      'mkfs -t xfs /dev/vdb',
      'mkswap /dev/sda2',
      'mkfs.vfat -F 32 disk.img',
      'mke2fs /dev/nvme0n1p1',
      'mkfs.ext4 -F "$DEV"',
    ],
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
];
