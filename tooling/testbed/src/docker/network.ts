import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { command } from '../command.js';

/** What of a Docker network was on the machine before our engine started: that much must stay. */
export interface NetworkBefore {
  readonly bridge: boolean;
  readonly rules: boolean;
  /** What happened to a packet that the machine would pass on: an engine changes both. */
  readonly forwardPolicy: string;
  readonly ipForward: string;
}

const bridgeName = 'docker0';

const forwarding = '/proc/sys/net/ipv4/ip_forward';

export async function networkBefore(): Promise<NetworkBefore> {
  const rules = await savedRules();
  return {
    bridge: existsSync(`/sys/class/net/${bridgeName}`),
    rules: isDockerRule(rules),
    forwardPolicy: rules.match(/^:FORWARD (\w+)/m)?.[1] ?? 'ACCEPT',
    ipForward: readFileSync(forwarding, 'utf8').trim(),
  };
}

/** Takes back what an engine changed for the whole machine and does not change back when it ends. */
export async function restoreNetwork(before: NetworkBefore): Promise<void> {
  if (!before.bridge && existsSync(`/sys/class/net/${bridgeName}`)) await command('ip', ['link', 'delete', bridgeName]);
  if (before.rules) return;
  const rules = await savedRules();
  if (isDockerRule(rules)) await restore(rules, before.forwardPolicy);
  if (readFileSync(forwarding, 'utf8').trim() !== before.ipForward) writeFileSync(forwarding, before.ipForward);
}

function savedRules(): Promise<string> {
  return command('iptables-save', []);
}

function isDockerRule(text: string): boolean {
  return /\bDOCKER\b|\bdocker0\b/.test(text);
}

async function restore(rules: string, forwardPolicy: string): Promise<void> {
  const others = rules
    .split('\n')
    .filter((line) => !isDockerRule(line))
    .map((line) => line.replace(/^:FORWARD \w+/, `:FORWARD ${forwardPolicy}`));
  await command('iptables-restore', [], { input: others.join('\n') });
}
