import type { OpenOptions, Sandbox } from '../sandbox/types.js';
import { createContext, discard, type Frame, type Opened, openMarked } from './context.js';
import { describeError, fail, within } from './expect.js';
import { describeSubject } from './open.js';
import type { ScenarioResult, ScenarioStatus } from './report.js';
import { type Leftovers, startRun } from './run-state.js';
import { ruleOf, type Scenario } from './scenario.js';
import { hasHook, type Subject } from './subject.js';

/** One run over one subject: holds the shared sandbox and runs scenarios one after the other. */
export interface Session {
  readonly frame: Frame;
  run(scenario: Scenario): Promise<ScenarioResult>;
  /** Destroys what is still open. */
  end(): Promise<void>;
}

const deadlineMs = 20_000;

/** Where a scenario's sandbox comes from. A place too damaged to be shared on is replaced, so that one failure stays one. */
type Source = 'shared' | 'own' | 'end';

export async function startSession(subject: Subject): Promise<Session> {
  const { options, capabilities } = await describeSubject(subject);
  const run = await startRun();
  const hostEnv = { LANG: 'C', ...(subject.hostEnv ?? process.env), ...canaries(run.unique('canary')) };
  const frame: Frame = { subject, options, capabilities, hostEnv, run };
  let shared: Opened | undefined;
  let observer: Opened | undefined;
  let leftovers: Leftovers | undefined;

  const openOne = async (openOptions: Omit<OpenOptions, 'options' | 'gate'>, marked = true): Promise<Opened> => {
    const sandbox = await openMarked(frame, openOptions, marked);
    try {
      return { sandbox, placement: await sandbox.placement() };
    } catch (error) {
      await discard(frame, sandbox);
      throw error;
    }
  };
  const discardSoon = async (sandbox: Sandbox) => {
    await within(deadlineMs, `destroying ${sandbox.name}`, discard(frame, sandbox));
  };
  const release = async () => {
    const last = [shared, observer].filter((one) => one !== undefined);
    shared = undefined;
    observer = undefined;
    for (const one of last) await discardSoon(one.sandbox);
  };
  const obtain = async (source: Source, scenario: Scenario): Promise<Opened> => {
    if (source === 'own') {
      await release();
      return openOne(typeof scenario.own === 'object' ? scenario.own : {});
    }
    if (source === 'end') {
      if (observer !== undefined) return observer;
      await release();
      leftovers = await run.leftovers();
      observer = await openOne({}, false);
      return observer;
    }
    shared ??= await openOne({});
    return shared;
  };

  const attempt = async (scenario: Scenario, source: Source, work: Scenario['run']): Promise<readonly string[]> => {
    const opened = await obtain(source, scenario);
    const context = createContext(frame, opened, source === 'end' ? leftovers : undefined);
    let failure: unknown;
    try {
      await within(scenario.deadlineMs ?? deadlineMs, 'the scenario', work(context));
    } catch (error) {
      failure = error;
    }
    try {
      await within(deadlineMs, 'cleaning up', context.cleanUp());
      if (source === 'own') await discardSoon(opened.sandbox);
      else if (failure !== undefined) await release();
    } catch (error) {
      failure ??= error;
      await release().catch(() => {});
    }
    if (failure !== undefined) throw failure;
    return context.notes;
  };

  return {
    frame,
    async run(scenario) {
      const started = performance.now();
      const result = (status: ScenarioStatus, observed: string, notes: readonly string[] = []): ScenarioResult => ({
        id: scenario.id,
        rule: ruleOf(scenario),
        concern: scenario.concern,
        title: scenario.title,
        status,
        observed,
        notes,
        ms: performance.now() - started,
      });
      try {
        const missing = (scenario.hooks ?? []).filter((hook) => !hasHook(subject, hook));
        if (missing.length > 0) return result('not-declared', `the subject has no hook ${missing.join(', ')}`);
        const { needs } = scenario;
        if (needs !== undefined && !needs.met(capabilities)) {
          const notes = await attempt(scenario, 'shared', (context) => needs.absent(context));
          return result('not-declared', `${needs.capability} is not declared, and the opposite holds`, notes);
        }
        return result('passed', '', await attempt(scenario, sourceOf(scenario), (context) => scenario.run(context)));
      } catch (error) {
        return result('failed', describeError(error));
      }
    },
    async end() {
      try {
        await release();
      } finally {
        await run.end();
      }
    },
  };
}

function sourceOf(scenario: Scenario): Source {
  if (scenario.atEnd) return 'end';
  return scenario.own ? 'own' : 'shared';
}

/** Shared sandboxes first, then those of their own, then what only the end can show: at most two places live at once. */
export function inPhases(scenarios: readonly Scenario[], applies: (scenario: Scenario) => boolean): readonly (readonly Scenario[])[] {
  const phases: [Scenario[], Scenario[], Scenario[]] = [[], [], []];
  for (const scenario of scenarios) {
    const source = applies(scenario) ? sourceOf(scenario) : 'shared';
    phases[source === 'shared' ? 0 : source === 'own' ? 1 : 2].push(scenario);
  }
  return phases;
}

/** Whether the scenario itself runs, and not its opposite. */
export function appliesTo(frame: Pick<Frame, 'subject' | 'capabilities'>): (scenario: Scenario) => boolean {
  return ({ needs, hooks = [] }) =>
    (needs === undefined || needs.met(frame.capabilities)) && hooks.every((hook) => hasHook(frame.subject, hook));
}

/** Ids in a list must name scenarios; a typing error would otherwise pass as an empty run. */
export function selectScenarios(all: readonly Scenario[], ids: readonly string[] | undefined): readonly Scenario[] {
  if (ids === undefined) return all;
  const unknown = ids.filter((id) => !all.some((scenario) => scenario.id === id));
  if (unknown.length > 0) fail(`there is no scenario ${unknown.join(', ')}`);
  return all.filter((scenario) => ids.includes(scenario.id));
}

/** Host variables that no command may see unless somebody says so, and two that it must see. */
function canaries(value: string): Record<string, string> {
  return {
    PETASOS_CANARY: value,
    OPENAI_API_KEY: value,
    ANTHROPIC_API_KEY: value,
    GITHUB_TOKEN: value,
    AWS_SECRET_ACCESS_KEY: value,
    NPM_TOKEN: value,
    LC_PETASOS: 'forwarded',
    TZ: 'PTS-3',
  };
}
