import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import { fail } from './expect.js';
import { describeSubject } from './open.js';
import { refuseUnknown } from './run.js';
import type { Scenario } from './scenario.js';
import { allScenarios } from './scenarios/index.js';
import { appliesTo, inPhases, type Session, startSession } from './session.js';
import { defineSubject, type Subject } from './subject.js';

const phaseTitles = ['', ', with a sandbox of its own', ', at the end'];

/** Defines one vitest test a scenario, below one `describe` a concern. What is not declared shows as the opposite test. */
export function conformance<Options>(given: Subject<Options>, options: Record<string, never> = {}): void {
  const subject = defineSubject(given);
  refuseUnknown(options, new Set());
  describe(`conformance of ${subject.backend.name}`, async () => {
    const { capabilities } = await describeSubject(subject);
    const applies = appliesTo({ subject, capabilities });
    let session: Session | undefined;
    beforeAll(async () => {
      session = await startSession(subject);
    });
    afterAll(async () => {
      await session?.end();
    });
    const define = (scenario: Scenario) => {
      const title = `${scenario.id} ${applies(scenario) ? scenario.title : notDeclaredTitle(scenario)}`;
      it(title, { timeout: 120_000 }, async ({ annotate }: TestContext) => {
        if (session === undefined) fail('the session did not start');
        const result = await session.run(scenario);
        for (const note of result.notes) await annotate(note);
        if (result.status === 'failed') fail(result.observed);
      });
    };
    for (const [phase, list] of inPhases(allScenarios, applies).entries()) {
      for (const concern of new Set(list.map((scenario) => scenario.concern))) {
        describe(`${concern}${phaseTitles[phase]}`, () => {
          for (const scenario of list) if (scenario.concern === concern) define(scenario);
        });
      }
    }
  });
}

function notDeclaredTitle(scenario: Scenario): string {
  const { needs, hooks = [] } = scenario;
  if (needs === undefined) return `(not declared: the subject has no hook ${hooks.join(', ')})`;
  return `(not declared: ${needs.capability}; the opposite holds)`;
}
