import type { ApprovalMode, RuleSet } from '@petasos/core/approvals';
import type { Gate } from '@petasos/core/backend';
import type { Config } from '../config/config.js';
import { describeError, errorLine } from '../ui/report-error.js';
import { terminalApprover } from './ask-person.js';
import type { Context } from './context.js';
import { loadUserRules } from './rules.js';

/** What decides about commands before anybody is asked. */
export interface ApprovalSettings {
  readonly mode: ApprovalMode;
  readonly rules: readonly RuleSet[];
  readonly timeoutMs: number | undefined;
  readonly record: boolean;
  readonly protectedPaths: readonly string[];
}

/** Read once: nothing that runs later can change it. */
export async function approvalSettings(context: Context, config: Config): Promise<ApprovalSettings> {
  const { parseApprovalMode } = await import('@petasos/core/approvals');
  const seconds = config.get('approvals.timeout')?.value;
  const { configDirectory, stateDirectory, pluginDirectory } = context.paths;
  return {
    mode: parseApprovalMode(config.get('approvals.mode')?.value ?? 'manual'),
    rules: await loadUserRules(context),
    timeoutMs: typeof seconds === 'number' && seconds > 0 ? seconds * 1000 : undefined,
    record: config.get('approvals.record')?.value !== false,
    protectedPaths: [configDirectory, stateDirectory, pluginDirectory],
  };
}

/**
 * What stands in front of every command text of this invocation. The one place that decides it. The judge and its tables are the
 * largest part of a start, so they load with the first command: only then is the place's own shell on its way, beside them.
 */
export function makeGate(context: Context, config: Config): Gate {
  let made: Promise<Gate> | undefined;
  return {
    async admit(request) {
      made ??= loadGate(context, config);
      return (await made).admit(request);
    },
  };
}

async function loadGate(context: Context, config: Config): Promise<Gate> {
  const { createApprovals } = await import('@petasos/core/approvals');
  const settings = await approvalSettings(context, config);
  return createApprovals({
    ...settings,
    approver: terminalApprover(context),
    stateDirectory: context.paths.stateDirectory,
    countedFor: 'backend',
    hostEnv: config.hostEnv,
    onError: (error) => context.stderr.write(`${errorLine(describeError(error))}\n`),
  }).gate;
}
