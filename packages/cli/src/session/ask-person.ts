import { closeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { ReadStream } from 'node:tty';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '@petasos/core';
import { approvalPrompt, readPromptLine } from '../ui/approval-prompt.js';
import type { Style } from '../ui/style.js';
import { widthOf } from '../ui/width.js';
import type { Context } from './context.js';
import { holdInput, openTerminal } from './controlling-terminal.js';

/** An unclear answer is asked for again this often; then it is a denial. */
const mostTries = 3;

export interface AskOptions {
  readonly columns: number;
  readonly style: Style;
  /** Name of the person, for the record. */
  readonly by: string;
}

/** Asks on the terminal; undefined when there is none on which a person would see the question. */
export function terminalApprover(context: Context): Approver | undefined {
  const { stderr } = context;
  if (stderr.isTTY !== true) return undefined;
  const terminal = openTerminal();
  if (terminal === undefined) return undefined;
  closeSync(terminal);
  return async (request) => {
    const release = holdInput(context);
    const descriptor = openTerminal();
    try {
      if (descriptor === undefined) return { choice: 'deny', reason: 'the terminal is gone' };
      const input = new ReadStream(descriptor);
      try {
        return await askOn(input, stderr, request, {
          columns: widthOf(stderr) ?? 80,
          style: context.style(stderr),
          by: context.env.USER ?? 'terminal',
        });
      } finally {
        input.destroy();
      }
    } finally {
      release();
    }
  };
}

/** The question and its answer on these streams. An end of the input, and a request that is given up, are denials. */
export async function askOn(input: Readable, output: Writable, request: ApprovalRequest, options: AskOptions): Promise<ApprovalAnswer> {
  // Loaded only when somebody is asked.
  const { createInterface } = await import('node:readline');
  if (request.signal.aborted) return { choice: 'deny', by: options.by };
  const lines = createInterface({ input, terminal: false });
  const onAbort = () => lines.close();
  request.signal.addEventListener('abort', onAbort, { once: true });
  try {
    let prompt = approvalPrompt(request, options);
    output.write(`${prompt.text}${prompt.question}`);
    let tries = 0;
    for await (const line of lines) {
      if (request.signal.aborted) break;
      if (line.trim() === 'v' && prompt.canShowMore) {
        prompt = approvalPrompt(request, { ...options, whole: true });
        output.write(`${prompt.text}${prompt.question}`);
        continue;
      }
      const answer = readPromptLine(line, request.choices);
      if (answer !== undefined) {
        if (answer.choice === 'deny') output.write('Denied.\n');
        return { ...answer, by: options.by };
      }
      tries += 1;
      if (tries === mostTries) break;
      output.write(prompt.question);
    }
    output.write(request.signal.aborted ? '\nToo late: denied.\n' : '\nDenied.\n');
    return { choice: 'deny', by: options.by };
  } finally {
    request.signal.removeEventListener('abort', onAbort);
    lines.close();
  }
}
