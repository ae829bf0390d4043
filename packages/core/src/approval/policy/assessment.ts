import type { Finding, Judgement, ResolvedCommand } from '../verdict.js';

/** A command with what was found about it. */
export interface Unit {
  readonly command: ResolvedCommand;
  readonly findings: readonly Finding[];
  /** SHA-256 of the script files it runs and of those it stands in. */
  readonly scripts: readonly string[];
}

/** A judgement sorted by command, so that rules and remembered answers can speak about each one alone. */
export interface Assessment {
  readonly judgement: Judgement;
  readonly units: readonly Unit[];
  /** Findings that belong to no single command: hidden characters, parse errors, data that flows from one to another. */
  readonly loose: readonly Finding[];
}

export function assess(judgement: Judgement, scripts: ReadonlyMap<ResolvedCommand, readonly string[]> = new Map()): Assessment {
  const owned = new Map<ResolvedCommand, Finding[]>();
  const loose: Finding[] = [];
  for (const finding of judgement.findings) {
    const owners = ownersOf(finding, judgement.commands);
    if (owners.length === 0) loose.push(finding);
    for (const owner of owners) owned.set(owner, [...(owned.get(owner) ?? []), finding]);
  }
  const units = judgement.commands.map((command) => ({
    command,
    findings: owned.get(command) ?? [],
    scripts: scripts.get(command) ?? [],
  }));
  return { judgement, units, loose };
}

/** Every command that the finding can be about. More than one when they cannot be told apart: then each must be cleared. */
function ownersOf(finding: Finding, commands: readonly ResolvedCommand[]): readonly ResolvedCommand[] {
  if (finding.argv.length === 0) return [];
  const same = commands.filter((command) =>
    sameWords(
      command.argv.map((word) => word.text),
      finding.argv,
    ),
  );
  const sameWay = same.filter((command) => sameWords(command.via, finding.via));
  const candidates = sameWay.length > 0 ? sameWay : same;
  const around = candidates.filter((command) => command.span.start <= finding.span.start && finding.span.end <= command.span.end);
  return around.length > 0 ? around : candidates;
}

function sameWords(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((word, index) => word === right[index]);
}
