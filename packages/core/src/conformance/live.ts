import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Backend, defineBackend, type HostInfo, PetasosError, type SandboxRef } from '../contract/index.js';
import { badgeSvg, badgeText, type ConformanceReport, formatJson, formatMarkdown } from './report.js';
import { runConformance } from './run.js';
import type { Subject } from './subject.js';

/** A run against a service that costs money. */
export interface LiveRun<Options> {
  readonly subject: Subject<Options>;
  /** Variables without which there is nothing to run against. */
  readonly credentials: readonly string[];
  readonly budget: {
    /** Sandboxes that may be created. */
    readonly sandboxes: number;
    /** Seconds after which no further one is created. */
    readonly seconds: number;
  };
  /** Directory for the report: JSON, Markdown and a badge. */
  readonly reportDirectory?: string | undefined;
}

export type LiveOutcome =
  | { readonly ran: false; readonly message: string }
  | { readonly ran: true; readonly message: string; readonly report: ConformanceReport; readonly leftBehind: readonly string[] };

/** Runs the suite against the service if there are credentials, within the budget, and removes every sandbox that it made. */
export async function runLive<Options>({ subject, credentials, budget, reportDirectory }: LiveRun<Options>): Promise<LiveOutcome> {
  const env = subject.hostEnv ?? process.env;
  const missing = credentials.filter((name) => !env[name]);
  const { name } = subject.backend;
  if (missing.length > 0) return { ran: false, message: `${name}: not run live (${missing.join(' and ')} not set)` };

  const bounded = withinBudget(subject.backend, budget);
  let report: ConformanceReport;
  let leftBehind: readonly string[];
  try {
    report = await runConformance<Options>({ ...subject, backend: bounded.backend });
  } finally {
    leftBehind = await bounded.cleanUp({ env, platform: process.platform });
  }
  if (reportDirectory !== undefined) await writeReport(reportDirectory, report);
  const left = leftBehind.length === 0 ? '' : `; could not be removed: ${leftBehind.join(', ')}`;
  return { ran: true, message: `${name}: run live, ${badgeText(report)}, ${bounded.created()} sandboxes${left}`, report, leftBehind };
}

interface Bounded<Options> {
  readonly backend: Backend<Options>;
  created(): number;
  /** @returns what could not be removed */
  cleanUp(host: HostInfo): Promise<readonly string[]>;
}

/** The same backend, which creates no more than the budget allows and knows what it has created. */
function withinBudget<Options>(backend: Backend<Options>, budget: LiveRun<Options>['budget']): Bounded<Options> {
  const began = performance.now();
  const made: { readonly options: Options; readonly ref: SandboxRef }[] = [];
  let created = 0;
  return {
    backend: defineBackend<Options>({
      ...backend,
      async create(options, spec) {
        if (created >= budget.sandboxes || performance.now() - began > budget.seconds * 1000) {
          throw new PetasosError('quota', `the budget of this run is used up: ${created} sandboxes of ${backend.name}`, {
            backend: backend.name,
            operation: 'create',
            data: { sandboxes: budget.sandboxes, seconds: budget.seconds },
            remedy: 'Give the run a larger budget.',
          });
        }
        created += 1;
        const driver = await backend.create(options, spec);
        made.push({ options, ref: driver.ref });
        return driver;
      },
    }),
    created: () => created,
    async cleanUp(host) {
      const left: string[] = [];
      for (const { options, ref } of made) {
        // What a scenario has removed already is none; what cannot be removed now may be in a moment.
        const removed = await removeWithin(3, () => backend.destroy(options, ref, host));
        if (!removed) left.push(ref.id);
      }
      return left;
    },
  };
}

async function removeWithin(attempts: number, remove: () => Promise<void>): Promise<boolean> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
      await remove();
      return true;
    } catch {
      if (attempt < attempts) await delay(1_000 * attempt);
    }
  }
  return false;
}

async function writeReport(directory: string, report: ConformanceReport): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = (extension: string) => join(directory, `${report.backend}.${extension}`);
  await writeFile(file('json'), formatJson(report));
  await writeFile(file('md'), formatMarkdown(report));
  await writeFile(file('svg'), badgeSvg(report));
}
