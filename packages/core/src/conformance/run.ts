import { type ConformanceReport, type ScenarioResult, summarize } from './report.js';
import { allScenarios } from './scenarios/index.js';
import { appliesTo, inPhases, selectScenarios, startSession } from './session.js';
import { defineSubject, type Subject } from './subject.js';

export interface RunOptions {
  /** Called after each scenario. */
  readonly onResult?: ((result: ScenarioResult) => void) | undefined;
  /** Ids of the only scenarios to run, while one is being written. The report of such a run proves nothing about the rest. */
  readonly scenarios?: readonly string[] | undefined;
}

const known: ReadonlySet<string> = new Set<keyof RunOptions>(['onResult', 'scenarios']);

/**
 * Proves the contract on a live sandbox of the subject's backend. Needs no test framework. What does not apply follows
 * from the backend's capabilities alone: there is no way to skip a scenario.
 * @throws TypeError for an unknown option, such as one to skip something, and for options that the backend refuses.
 */
export async function runConformance<Options>(subject: Subject<Options>, options: RunOptions = {}): Promise<ConformanceReport> {
  refuseUnknown(options, known);
  const startedAt = new Date();
  const started = performance.now();
  const selected = selectScenarios(allScenarios, options.scenarios);
  const session = await startSession(defineSubject(subject));
  const results: ScenarioResult[] = [];
  try {
    for (const scenario of inPhases(selected, appliesTo(session.frame)).flat()) {
      const result = await session.run(scenario);
      results.push(result);
      options.onResult?.(result);
    }
  } finally {
    await session.end();
  }
  const { backend } = subject;
  const head = { backend: backend.name, contract: backend.contract, capabilities: session.frame.capabilities, startedAt };
  return summarize({ ...head, ms: performance.now() - started }, results);
}

/** An option that is ignored could be a scenario that somebody believes to be skipped. */
export function refuseUnknown(options: object, known: ReadonlySet<string>): void {
  const unknown = Object.keys(options).filter((key) => !known.has(key));
  if (unknown.length > 0) {
    throw new TypeError(`unknown option ${unknown.join(', ')}: what does not apply follows from the capabilities; nothing can be skipped`);
  }
}
