import { describe, expect, it } from 'vitest';
import local from '../../../backend-local/src/index.js';
import { allScenarios, defineSubject, runConformance } from '../../src/conformance/index.js';
import { powerfulLocal } from '../zoo/powerful-local.js';

const subject = defineSubject({ backend: powerfulLocal(local) });
const ids = allScenarios.filter((scenario) => ['pause', 'snapshot'].includes(scenario.concern)).map((scenario) => scenario.id);

/** No embedded place can do these: without this, their scenarios would be believed and never run. */
describe('scenarios of powers that this machine lacks, on a place that has them', () => {
  it.each(ids)('%s', async (id) => {
    const { results } = await runConformance(subject, { scenarios: [id] });
    expect(results.map((result) => [result.id, result.status, result.observed])).toEqual([[id, 'passed', '']]);
  });
});
