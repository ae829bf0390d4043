import type { ApprovalAnswer, ApprovalChoice, ApprovalRequest } from '@petasos/core';
import { commandView } from './command-view.js';
import { findingsView } from './findings-view.js';
import type { Style } from './style.js';
import { oneLine } from './text.js';

export interface PromptOptions {
  readonly columns: number;
  readonly style: Style;
  /** Shows every line of a long command. */
  readonly whole?: boolean | undefined;
}

export interface Prompt {
  readonly text: string;
  /** Stands in front of the answer, without a line feed. */
  readonly question: string;
  /** Lines were left out: `v` shows them. */
  readonly canShowMore: boolean;
}

const headlines: Partial<Record<ApprovalRequest['operation'], string>> = {
  job: 'Petasos asks: may this run in the background?',
  'job-input': 'Petasos asks: may this be sent to a running job?',
  'terminal-input': 'Petasos asks: may this be sent to a running program?',
  terminal: 'Petasos asks: may this be started in a terminal?',
  init: 'Petasos asks: may this prepare the new sandbox?',
};

const keys: readonly { readonly choice: ApprovalChoice; readonly key: string; readonly means: string }[] = [
  { choice: 'once', key: 'o', means: 'once: this time' },
  { choice: 'session', key: 's', means: 'session: this command, until Petasos ends' },
  { choice: 'always', key: 'a', means: 'always: this command, in this place and directory' },
  { choice: 'deny', key: 'd', means: 'deny; what you write after it is told to the caller' },
];

const mostRows = 40;

/** The question to a person: the command, why it is asked, where it would run, and the answers. */
export function approvalPrompt(request: ApprovalRequest, options: PromptOptions): Prompt {
  const { columns, style } = options;
  const open = request.findings.filter((finding) => finding.severity !== 'allow');
  const view = commandView(
    request.command,
    open.map((finding) => finding.span),
    { columns, style, mostRows: options.whole === true ? undefined : mostRows },
  );
  const { place, sandbox } = request;
  const where = `${sandbox.backend}/${sandbox.name} on ${place.machine.name}, as ${place.user.name}`;
  const choices = keys.filter(({ choice }) => request.choices.includes(choice));
  const text =
    `\n${style.bold(headlines[request.operation] ?? 'Petasos asks: may this run?')}\n\n` +
    `${view.text}\n${findingsView(open, options)}\n` +
    `  ${style.dim('in')}  ${oneLine(where)}\n  ${style.dim('at')}  ${oneLine(request.cwd)}\n\n` +
    `${choices.map(({ key, means }) => `  ${style.bold(key)}  ${means}\n`).join('')}` +
    (view.hiddenRows > 0 ? `  ${style.bold('v')}  view all of the command\n` : '');
  return { text, question: `Answer (${choices.map(({ key }) => key).join(', ')}; Enter denies): `, canShowMore: view.hiddenRows > 0 };
}

/** Undefined: the line is no answer, and is asked for again. Only a clear answer approves; an empty line denies. */
export function readPromptLine(line: string, choices: readonly ApprovalChoice[]): ApprovalAnswer | undefined {
  const [word = '', ...rest] = line.trim().split(/\s+/);
  if (word === '') return { choice: 'deny' };
  const chosen = keys.find(({ key, choice }) => (word === key || word === choice) && choices.includes(choice));
  if (chosen === undefined) return undefined;
  if (chosen.choice === 'deny') return rest.length === 0 ? { choice: 'deny' } : { choice: 'deny', reason: rest.join(' ') };
  return rest.length === 0 ? { choice: chosen.choice } : undefined;
}
