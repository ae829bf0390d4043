import { type Concern, concerns, type Scenario } from '../scenario.js';
import { exec } from './exec.js';

const all: readonly Scenario[] = [...exec];

const order = new Map<Concern, number>(concerns.map((concern, index) => [concern, index]));

/** Every scenario there is, in the order of a run. */
export const allScenarios: readonly Scenario[] = [...all].sort((a, b) => (order.get(a.concern) ?? 0) - (order.get(b.concern) ?? 0));
