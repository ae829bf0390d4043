import type { Placement } from '@petasos/core';
import { formatDuration } from './format.js';
import type { Style } from './style.js';
import { table } from './table.js';
import { oneLine } from './text.js';
import { wrap } from './wrap.js';

export interface PlacementContext {
  /** Directory where a command would start. */
  readonly startsIn: string;
  /** Which setting chose the backend. */
  readonly chosenBy: string;
  readonly packageName: string;
  readonly version: string;
  /** Width of the terminal. */
  readonly columns: number;
}

const isolations: Readonly<Record<Placement['isolation'], string>> = {
  none: 'none: a command can do whatever this user can',
  container: 'container',
  vm: 'virtual machine',
  'remote-host': 'another machine: a command can do there whatever its user can',
};

const storages: Readonly<Record<Placement['storage'], string>> = {
  host: 'the files of this machine',
  persistent: 'kept until the sandbox is destroyed',
  ephemeral: 'lost when the sandbox ends',
};

const agents: Readonly<Record<Placement['agent']['kind'], string>> = { host: '', container: ', inside a container', ci: ', in a CI job' };

/** The placement for a person: what matters most first, warnings last, where they are read. */
export function placementText(placement: Placement, about: PlacementContext, style: Style): string {
  const { machine, user } = placement;
  const rows: [string, string][] = [
    ['Backend', `${placement.backend} (${about.packageName} ${about.version})`],
    ['Chosen by', about.chosenBy],
    ['Sandbox', placement.sandbox],
    [
      'Machine',
      [machine.name, machine.os, machine.image && `image ${machine.image}`, machine.region && `region ${machine.region}`]
        .filter(Boolean)
        .join(', '),
    ],
    ['User', user.uid === null ? user.name : `${user.name} (uid ${user.uid})`],
    ['Starts in', about.startsIn],
    ['Shell', placement.shell.path],
    ['Isolation', isolations[placement.isolation]],
    [
      'Files',
      placement.isolation === 'remote-host' && placement.storage === 'host' ? 'the files of that machine' : storages[placement.storage],
    ],
    ...placement.mounts.map(({ source, target, access }, index): [string, string] => [
      index === 0 ? 'Sees of the host' : '',
      `${source} at ${target} (${access})`,
    ]),
    ['Network', networkText(placement)],
    ['Forwarded', placement.forwarded.length === 0 ? 'no variables' : placement.forwarded.join(', ')],
    ['Limits', limitsText(placement)],
    ['Ends', placement.lifetimeLeftMs === null ? 'not by itself' : `by itself in ${formatDuration(placement.lifetimeLeftMs)}`],
    ['Cost', costText(placement)],
    ['Petasos runs on', `${placement.agent.machine}${agents[placement.agent.kind]}`],
  ];
  const warnings = placement.warnings.map(({ message, remedy }) => {
    const text = oneLine(remedy === undefined ? message : `${message.replace(/\.$/, '')}. ${remedy}`);
    return `${style.yellow('warning')}\n${wrap(text, about.columns - 2)
      .map((line) => `  ${line}\n`)
      .join('')}`;
  });
  return (
    table(
      rows.map(([name, value]) => [name === '' ? '' : style.bold(name), oneLine(value)]),
      about.columns,
    ) + (warnings.length === 0 ? '' : `\n${warnings.join('')}`)
  );
}

function networkText({ network }: Placement): string {
  if (network.mode === 'allowlist') return `only ${network.allowed?.join(', ') ?? 'what is allowed'}`;
  return network.mode === 'open' ? 'open' : 'none';
}

function limitsText({ limits }: Placement): string {
  const parts = [
    limits.cpus === undefined ? undefined : `${limits.cpus} ${limits.cpus === 1 ? 'CPU' : 'CPUs'}`,
    limits.memoryMiB === undefined ? undefined : `${limits.memoryMiB} MiB of memory`,
    limits.diskGiB === undefined ? undefined : `${limits.diskGiB} GiB of disk`,
    limits.pids === undefined ? undefined : `${limits.pids} processes`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function costText({ cost }: Placement): string {
  if (cost.class === 'free') return 'free';
  const price = cost.perHourUsd === undefined ? '' : `, about ${cost.perHourUsd} USD an hour while it runs`;
  return `metered${price}${cost.asOf === undefined ? '' : ` (as of ${cost.asOf})`}`;
}
