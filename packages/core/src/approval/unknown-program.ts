import type { Call } from './call.js';

/** Arguments that are looked at for a command that an unknown program might run. */
const most = 16;

const destructive =
  /^(?:delete|destroy|purge|wipe|terminate|drop|nuke|factory-reset|decommission|(?:delete|destroy|purge|terminate|wipe|drop)-[\w-]+|[\w-]+:(?:delete|destroy|drop|purge|wipe|reset))$/;
const dryRun = /^--?(?:dry-run|dryrun|dry|plan|preview|simulate|whatif|what-if|noop|no-op|help)(?:=.*)?$/;
const executes = /^(?:-c|-e|-x|--command|--exec|--execute|--cmd|--run|--shell)$/;

/** Names that as an argument mean a command, and hardly ever anything else. */
const commandWord =
  /^(?:rm|rmdir|shred|unlink|git|sudo|doas|su|bash|sh|dash|zsh|ksh|fish|busybox|toybox|dd|find|fd|xargs|env|chmod|chown|chattr|mv|truncate|kubectl|docker|podman|terraform|tofu|aws|gcloud|az|helm|python[\d.]*|perl|ruby|node|npm|npx|curl|wget|nc|ncat|socat|psql|mysql|mongosh|redis-cli|shutdown|reboot|halt|poweroff|systemctl|mkfs(?:\.\w+)?|wipefs|sgdisk|fdisk|parted|kill|killall|pkill|ssh|scp|rsync|eval|tee|crontab|iptables|gh|cargo|pip3?|apt|apt-get|yum|dnf|timeout|nice|nohup|stdbuf|setsid)$/;

/** `--env node --coverage`: with options of the unknown program around it, such a name is a value and no command. */
const interpreter = /^(?:node|python[\d.]*|ruby)$/;
const ownOption = /^--(?!eval|print|require|import|input|loader|experimental)/;

/** A program that no table knows: judged by whether its arguments are a command, or name a loss. */
export function judgeUnknown(call: Call): void {
  const { args } = call;
  for (let index = 0; index < Math.min(args.length, most); index++) {
    const arg = args[index];
    if (!arg?.literal) continue;
    const before = args[index - 1]?.raw;
    if (before && executes.test(before) && /\s/.test(arg.raw)) {
      call.shell(arg.raw);
      return;
    }
    if (before?.startsWith('--') && before !== '--' && interpreter.test(arg.raw) && ownOption.test(args[index + 1]?.raw ?? '')) continue;
    if (index + 1 < args.length && commandWord.test(arg.raw.slice(arg.raw.lastIndexOf('/') + 1))) {
      call.runFrom(index);
      return;
    }
  }
  if (args.some((arg) => dryRun.test(arg.raw))) return;
  const operands = args.filter((arg) => !arg.raw.startsWith('-')).slice(0, 2);
  if (operands.length > 1 && operands.some((arg) => destructive.test(arg.text))) {
    call.report('unknown.destructive', 'remote-service', `${call.name} is asked to destroy something.`, { durable: false });
  }
}
