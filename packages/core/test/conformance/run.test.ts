import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { allScenarios, concerns, ruleOf, runConformance, type ScenarioResult } from '../../src/conformance/index.js';
import { startRun } from '../../src/conformance/run-state.js';
import { conformance } from '../../src/conformance/vitest.js';
import { healthy } from '../zoo/local.js';

describe('runConformance', () => {
  it('runs the scenarios that are named and counts', async () => {
    const seen: ScenarioResult[] = [];
    const report = await runConformance(healthy, {
      scenarios: ['E3.exit-code', 'E1.heredoc'],
      onResult: (result) => seen.push(result),
    });
    expect(report).toMatchObject({ backend: 'local', contract: 1, passed: 2, failed: 0, notDeclared: 0 });
    expect(report.results.map((result) => result.id)).toEqual(['E3.exit-code', 'E1.heredoc']);
    expect(seen).toEqual(report.results);
  });

  it('cannot be told to skip anything', async () => {
    const options = { skip: ['E3.exit-code'] };
    await expect(runConformance(healthy, options as never)).rejects.toThrow(/unknown option skip/);
    expect(() => conformance(healthy, options as never)).toThrow(/unknown option skip/);
  });

  it('refuses a subject whose options the backend refuses', async () => {
    await expect(runConformance({ ...healthy, options: { nonsense: 1 } })).rejects.toThrow(/options are not valid/);
  });

  it('uses a private temporary directory and gives the old one back', async () => {
    const before = tmpdir();
    const run = await startRun();
    expect(tmpdir()).toBe(run.temporary);
    await run.end();
    expect(tmpdir()).toBe(before);
  });

  it('takes turns within one process', async () => {
    const first = await startRun();
    let started = false;
    const second = startRun().then((run) => {
      started = true;
      return run;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(started).toBe(false);
    await first.end();
    await (await second).end();
    expect(started).toBe(true);
  });
});

describe('the scenarios', () => {
  it('have ids that are unique and begin with a rule', () => {
    const ids = allScenarios.map((scenario) => scenario.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^([EFJLSC]\d+|[a-z]+)\.[a-z0-9][a-z0-9-]*$/);
  });

  it('prove every rule for commands at least once, and every concern has some', () => {
    const rules = new Set(allScenarios.map(ruleOf));
    const commands = Array.from({ length: 13 }, (_, i) => `E${i + 1}`);
    expect(commands.filter((rule) => !rules.has(rule))).toEqual([]);
    expect(concerns.filter((concern) => !allScenarios.some((scenario) => scenario.concern === concern))).toEqual([]);
  });
});
