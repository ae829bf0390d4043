import type { Call } from '../call.js';
import type { Program } from '../program.js';
import { rule } from './system-common.js';

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

export const backup: readonly Program[] = [
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
    check: (call) => {
      if (call.name === 'rclone') for (const operand of call.operands.slice(1)) if (!/^[\w-]+:/.test(operand.raw)) call.reads(operand);
    },
    match: [
      'rclone copy ~/.ssh r:x',
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
