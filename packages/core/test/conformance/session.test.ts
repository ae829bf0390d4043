import { afterEach, describe, expect, it } from 'vitest';
import { equal, fail, unsupported } from '../../src/conformance/expect.js';
import type { Requirement, Scenario } from '../../src/conformance/scenario.js';
import { appliesTo, inPhases, type Session, selectScenarios, startSession } from '../../src/conformance/session.js';
import { healthy } from '../zoo/local.js';

const scenario = (id: string, run: Scenario['run'], more: Partial<Scenario> = {}): Scenario => ({
  id,
  concern: 'exec',
  title: id,
  run,
  ...more,
});

const pause: Requirement = {
  capability: 'pause',
  met: (capabilities) => capabilities.pause !== false,
  absent: (context) => unsupported(context, 'pause', () => context.sandbox.pause()),
};

describe('a session', () => {
  let session: Session | undefined;
  const start = async () => {
    session = await startSession(healthy);
    return session;
  };
  afterEach(async () => {
    await session?.end();
    session = undefined;
  });

  it('passes, fails with what was observed, and takes any error for a failure', async () => {
    const { run } = await start();
    expect(await run(scenario('E3.pass', async () => {}))).toMatchObject({ status: 'passed', rule: 'E3', observed: '', concern: 'exec' });
    const refuted = await run(scenario('E3.refuted', async () => equal(1, 2, 'a number')));
    expect(refuted).toMatchObject({ status: 'failed', observed: 'Refuted: a number: expected 2, observed 1' });
    const thrown = await run(scenario('E3.thrown', () => Promise.reject(new TypeError('oops'))));
    expect(thrown).toMatchObject({ status: 'failed', observed: 'TypeError: oops' });
  });

  it('runs the opposite for a capability that is not declared, and fails when that does not hold', async () => {
    const { run } = await start();
    const never = () => fail('the scenario itself must not run');
    expect(await run(scenario('L6.pause', never, { needs: pause }))).toMatchObject({ status: 'not-declared' });
    const silent = { ...pause, absent: async () => fail('pausing worked') };
    expect(await run(scenario('L6.silent', never, { needs: silent }))).toMatchObject({
      status: 'failed',
      observed: 'Refuted: pausing worked',
    });
  });

  it('counts a scenario whose hook is missing as not declared, and says which', async () => {
    const { run } = await start();
    const result = await run(scenario('L3.cut', async () => {}, { hooks: ['cutConnection'] }));
    expect(result).toMatchObject({ status: 'not-declared', observed: 'the subject has no hook cutConnection' });
  });

  it('fails a scenario that hangs, and goes on with a fresh sandbox', async () => {
    const { run } = await start();
    const ids: string[] = [];
    const note = scenario('E3.note', async ({ sandbox }) => void ids.push(sandbox.id));
    await run(note);
    await run(note);
    const hung = await run(scenario('E3.hang', () => new Promise(() => {}), { deadlineMs: 50 }));
    expect(hung).toMatchObject({ status: 'failed', observed: 'Refuted: the scenario: still not there after 50 ms' });
    await run(note);
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('gives a scenario a sandbox of its own with the options it names, and removes what it opened', async () => {
    const { run, frame } = await start();
    const opened: string[] = [];
    const own = scenario(
      'E8.own',
      async (context) => {
        const other = await context.open();
        opened.push(context.sandbox.id, other.id);
        equal((await context.sandbox.exec('echo $OWN')).stdout, 'yes\n', 'stdout');
      },
      { own: { env: { OWN: 'yes' } } },
    );
    expect(await run(own)).toMatchObject({ status: 'passed' });
    const host = { env: frame.hostEnv, platform: process.platform };
    const listed = await frame.subject.backend.list(frame.options, host);
    expect(listed.filter((one) => opened.includes(one.ref.id))).toEqual([]);
    expect(opened).toHaveLength(2);
  });

  it('refuses a third place', async () => {
    const { run } = await start();
    const greedy = scenario('L1.greedy', async (context) => {
      await context.open();
      await context.open();
    });
    expect(await run(greedy)).toMatchObject({ status: 'failed', observed: expect.stringContaining('more than 2 places') });
  });

  it('counts processes by arguments and by environment, and sees them gone', async () => {
    const { run } = await start();
    const result = await run(
      scenario('E4.count', async (context) => {
        const marker = context.marker();
        await context.gone(marker, 0);
        await context.sandbox.exec(`PETASOS_MARK=${marker} sleep 60 >/dev/null 2>&1 & sh -c 'sleep 60; :' ${marker} >/dev/null 2>&1 &`);
        await context.eventually('both', async () => {
          const found = new Set((await context.survivors(marker)).map((one) => one.found));
          return found.has('arguments') && found.has('environment');
        });
        await context.gone(marker, 100).then(
          () => fail('two processes are alive'),
          () => {},
        );
        await context.end(marker);
        await context.gone(marker, 0);
      }),
    );
    expect(result).toMatchObject({ status: 'passed', observed: '' });
  });

  it('measures what is left at the end', async () => {
    const { run } = await start();
    await run(scenario('E3.work', async ({ sandbox }) => void (await sandbox.exec('echo x'))));
    const end = scenario(
      'L2.end',
      async ({ leftovers, sandbox, run: state }) => {
        equal(leftovers, { handles: {}, files: [] }, 'what is left');
        equal(state.opened.size > 1 && state.opened.has(sandbox.id), true, 'whether the sandboxes are known');
      },
      { atEnd: true },
    );
    expect(await run(end)).toMatchObject({ status: 'passed', observed: '' });
  });

  it('orders shared sandboxes before own ones before the end, and an opposite is shared', async () => {
    const { frame } = await start();
    const nothing = async () => {};
    const list = [
      scenario('L2.end', nothing, { atEnd: true }),
      scenario('L3.own', nothing, { own: true }),
      scenario('L6.opposite', nothing, { own: true, needs: pause }),
      scenario('E3.shared', nothing),
    ];
    const phases = inPhases(list, appliesTo(frame)).map((phase) => phase.map((one) => one.id));
    expect(phases).toEqual([['L6.opposite', 'E3.shared'], ['L3.own'], ['L2.end']]);
  });

  it('selects by id and refuses an id that does not exist', () => {
    const list = [scenario('E3.a', async () => {}), scenario('E3.b', async () => {})];
    expect(selectScenarios(list, ['E3.b']).map((one) => one.id)).toEqual(['E3.b']);
    expect(() => selectScenarios(list, ['E3.c'])).toThrow('there is no scenario E3.c');
  });
});
