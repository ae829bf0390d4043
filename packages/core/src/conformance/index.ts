export { runClient } from './client.js';
export type { Client, ClientEvent, ClientStep, ClientTask } from './client-task.js';
export { type LiveOutcome, type LiveRun, runLive } from './live.js';
export {
  badgeSvg,
  badgeText,
  type ConformanceReport,
  formatJson,
  formatMarkdown,
  formatText,
  type ScenarioResult,
  type ScenarioStatus,
} from './report.js';
export { type RunOptions, runConformance } from './run.js';
export { type Concern, type Context, concerns, type Requirement, ruleOf, type Scenario, type Survivor } from './scenario.js';
export { allScenarios } from './scenarios/index.js';
export { defineSubject, type Faults, type Hook, type OpenSandbox, passThrough, type Subject } from './subject.js';
