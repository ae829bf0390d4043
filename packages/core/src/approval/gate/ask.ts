import { PetasosError } from '../../contract/errors.js';
import { timerMs } from '../../contract/timer.js';
import { type ApprovalAnswer, type ApprovalRequest, type Approver, readAnswer } from './approver.js';

/** What came of a question. */
export type Asked =
  | { readonly kind: 'answer'; readonly answer: ApprovalAnswer }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'mistake'; readonly mistake: string };

/**
 * Puts a question to the approver. Silence, a failure and an answer that was not offered are no consent.
 * @throws `aborted` when the caller gives up first.
 */
export async function askApprover(
  approver: Approver,
  request: Omit<ApprovalRequest, 'signal'>,
  caller: AbortSignal | undefined,
): Promise<Asked> {
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const timeout = new Promise<Asked>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'timeout' }), timerMs(request.timeoutMs));
  });
  const aborted = new Promise<never>((_resolve, reject) => {
    giveUp = () => reject(abortedError());
  });
  caller?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([timeout, aborted, answered(approver, { ...request, signal: late.signal })]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', giveUp);
    late.abort();
  }
}

async function answered(approver: Approver, request: ApprovalRequest): Promise<Asked> {
  try {
    const answer = readAnswer(await approver(request), request.choices);
    return answer === undefined ? { kind: 'mistake', mistake: 'gave no answer that was offered' } : { kind: 'answer', answer };
  } catch (error) {
    return { kind: 'mistake', mistake: `failed (${error instanceof Error ? error.message : String(error)})` };
  }
}

export function abortedError(): PetasosError {
  return new PetasosError('aborted', 'the command was aborted before it was approved', { operation: 'approve' });
}

/** Lets one question be asked after the other: a person cannot answer two prompts at once. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}
