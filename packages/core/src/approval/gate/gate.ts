import { randomUUID } from 'node:crypto';
import { isPetasosError } from '../../contract/errors.js';
import type { Gate, GatePass, GateRequest } from '../../contract/gate.js';
import { type Breaker, createBreaker } from '../memory/breaker.js';
import { createLedger, type Ledger } from '../memory/ledger.js';
import { type Memorable, memorable } from '../memory/subject.js';
import { createSudoGuard, type SudoGuard } from '../memory/sudo-guard.js';
import { createMemoryTally } from '../memory/tally.js';
import type { Audit } from '../record/audit.js';
import { type Redactor, redact as redactShapes } from '../record/redact.js';
import type { ApprovalChoice, Approver } from './approver.js';
import { abortedError, askApprover, Turns } from './ask.js';
import { type Consideration, type ConsiderOptions, consider } from './consider.js';
import { PlacementCache } from './placement-cache.js';
import { CommandRecord, type Settlement } from './record.js';
import { type Refusal, refusalError } from './refusal.js';
import { scriptsUnchanged } from './scripts.js';

export interface GateOptions extends ConsiderOptions {
  /** Absent: what would be asked is denied. */
  readonly approver?: Approver | undefined;
  readonly ledger?: Ledger | undefined;
  readonly breaker?: Breaker | undefined;
  readonly sudoGuard?: SudoGuard | undefined;
  /**
   * What denials and failed authentications are counted for: each sandbox (the default), or all of one backend, so that
   * a fresh sandbox for every command is no fresh start.
   */
  readonly countedFor?: 'sandbox' | 'backend' | undefined;
  /** Absent: nothing is recorded. */
  readonly audit?: Audit | undefined;
  /** Milliseconds in which an approver's answer counts; default 300 000. */
  readonly timeoutMs?: number | undefined;
  readonly redactor?: Redactor | undefined;
  readonly clock?: (() => number) | undefined;
  /** Told about what cannot be reported otherwise, such as the end of a command that cannot be recorded. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export const defaultApprovalTimeoutMs = 300_000;

/** Judges every command text, asks where it must, remembers, and records. Its settings cannot be changed after it is made. */
export function createGate(options: GateOptions): Gate {
  return new ApprovalGate(options);
}

/** A request with all that is known about it. */
interface Case extends Consideration {
  readonly request: GateRequest;
  /** What denials and failed authentications are counted for. */
  readonly scope: string;
  readonly record: CommandRecord;
}

class ApprovalGate implements Gate {
  readonly #options: Readonly<GateOptions>;
  readonly #clock: () => number;
  readonly #redact: Redactor;
  readonly #ledger: Ledger;
  readonly #breaker: Breaker;
  readonly #sudoGuard: SudoGuard;
  readonly #placements: PlacementCache;
  readonly #turns = new Turns();
  /** Outcomes of sudo that are being noted: the next decision has to know them. */
  #noted: Promise<unknown> = Promise.resolve();

  constructor(options: GateOptions) {
    this.#options = { ...options, rules: [...(options.rules ?? [])], protectedPaths: [...(options.protectedPaths ?? [])] };
    this.#clock = options.clock ?? Date.now;
    this.#redact = options.redactor ?? redactShapes;
    this.#ledger = options.ledger ?? createLedger({ clock: this.#clock });
    this.#breaker = options.breaker ?? createBreaker(createMemoryTally());
    this.#sudoGuard = options.sudoGuard ?? createSudoGuard(createMemoryTally(), this.#clock);
    this.#placements = new PlacementCache(this.#clock);
  }

  async admit(request: GateRequest): Promise<GatePass> {
    if (request.signal?.aborted === true) throw abortedError();
    const one = await this.#consider(request).catch((cause: unknown) => {
      // A place that failed says so itself; whatever else goes wrong is no consent.
      throw isPetasosError(cause) ? cause : refusalError({ by: 'failure', cause }, request, undefined, this.#redact);
    });
    let settlement: Settlement;
    try {
      settlement = await this.#settle(one);
    } catch (cause) {
      if (isPetasosError(cause, 'aborted')) {
        one.record.write(one.decision, { by: 'approver' }, 'aborted');
        throw cause;
      }
      settlement = refused({ by: 'failure', cause });
    }
    one.record.write(one.decision, settlement);
    if (settlement.refusal === undefined) return this.#pass(one);
    await this.#countDenial(one, settlement.refusal);
    throw refusalError(settlement.refusal, request, one.decision, this.#redact);
  }

  async #consider(request: GateRequest): Promise<Case> {
    const considered = await consider(request, await this.#placements.of(request), this.#options);
    const { place, identity, cwd, assessment } = considered;
    const record = new CommandRecord({
      id: randomUUID(),
      request,
      place,
      cwd,
      verdict: assessment.judgement.verdict,
      audit: this.#options.audit,
      redact: this.#redact,
      clock: this.#clock,
    });
    const scope = this.#options.countedFor === 'backend' ? identity.backend : `${identity.backend}/${identity.sandbox}`;
    return { ...considered, request, scope, record };
  }

  /** Finds out whether the command may run, without recording it. */
  async #settle(one: Case): Promise<Settlement> {
    const { decision, scope } = one;
    if (isPrivileged(one)) {
      await this.#noted;
      const block = await this.#sudoGuard.blocked(scope);
      if (block !== undefined) return refused({ by: 'sudo-guard', block, now: this.#clock() });
    }
    if (decision.verdict === 'deny') return refused({ by: decision.by });
    if (decision.verdict === 'allow') return { by: decision.by };
    const memories = remembered(one);
    if (await this.#isRemembered(memories)) return { by: 'ledger' };
    return this.#turns.take(() => this.#ask(one, memories));
  }

  async #ask(one: Case, memories: readonly Memorable[] | undefined): Promise<Settlement> {
    const { request, scope } = one;
    const { approver, timeoutMs = defaultApprovalTimeoutMs } = this.#options;
    if (request.signal?.aborted === true) throw abortedError();
    // The answer to the question before may be the one to this.
    if (await this.#isRemembered(memories)) return { by: 'ledger' };
    if ((await this.#breaker.state(scope)).open) return refused({ by: 'breaker' });
    if (approver === undefined) return refused({ by: 'nobody' });

    const startedAt = this.#clock();
    const asked = await askApprover(
      approver,
      {
        operation: request.operation,
        command: request.command,
        cwd: one.cwd,
        judgement: one.assessment.judgement,
        findings: one.decision.findings,
        place: one.place,
        sandbox: request.sandbox,
        choices: choicesFor(memories),
        timeoutMs,
      },
      request.signal,
    );
    if (asked.kind === 'timeout') return refused({ by: 'timeout', timeoutMs });
    if (asked.kind === 'mistake') return refused({ by: 'approver', reason: undefined, mistake: asked.mistake });
    const { answer } = asked;
    const by = answer.by ?? 'approver';
    const recorded = { choice: answer.choice, by, waitedMs: this.#clock() - startedAt };
    if (answer.choice === 'deny') {
      const { reason } = answer;
      return { ...refused({ by: 'approver', reason }), answer: reason === undefined ? recorded : { ...recorded, reason } };
    }
    if (!(await scriptsUnchanged(one.files, request))) return { ...refused({ by: 'script-changed' }), answer: recorded };
    if (answer.choice !== 'once') for (const memory of memories ?? []) await this.#ledger.remember(memory.subject, answer.choice, by);
    await this.#breaker.approved(scope);
    return { by: 'approver', answer: recorded };
  }

  async #isRemembered(memories: readonly Memorable[] | undefined): Promise<boolean> {
    if (memories === undefined) return false;
    for (const memory of memories) if ((await this.#ledger.find(memory.subject)) === undefined) return false;
    return true;
  }

  async #countDenial(one: Case, refusal: Refusal): Promise<void> {
    if (refusal.by === 'breaker' || refusal.by === 'sudo-guard') return;
    try {
      await this.#breaker.denied(one.scope, { at: this.#clock(), note: one.record.shortCommand });
    } catch (error) {
      // The command is refused all the same, for the reason that it has.
      this.#options.onError?.(error);
    }
  }

  #pass(one: Case): GatePass {
    const watchSudo = isPrivileged(one);
    const report = (error: unknown) => this.#options.onError?.(error);
    let over = false;
    return {
      ...(watchSudo ? { watchSudo } : {}),
      ended: (outcome) => {
        if (over) return;
        over = true;
        try {
          one.record.end(outcome);
        } catch (error) {
          report(error);
        }
        if (!watchSudo) return;
        const failures = outcome.sudoFailures ?? 0;
        const succeeded = failures === 0 && outcome.ended === 'exited' && outcome.exitCode === 0;
        if (failures === 0 && !succeeded) return;
        const note = () => (succeeded ? this.#sudoGuard.succeeded(one.scope) : this.#sudoGuard.failed(one.scope, failures));
        this.#noted = this.#noted.then(note).catch(report);
      },
    };
  }
}

function isPrivileged(one: Case): boolean {
  return one.assessment.judgement.commands.some((command) => command.privileged);
}

/** What an answer could be remembered as, for every command that needs one; undefined when it holds for once only. */
function remembered(one: Case): readonly Memorable[] | undefined {
  const { decision, assessment, identity, request } = one;
  if (decision.loose.length > 0 || decision.open.length === 0) return undefined;
  const text = JSON.stringify([request.operation, request.command, request.stdin?.text ?? null, request.reader ?? null]);
  const memories: Memorable[] = [];
  for (const unit of decision.open) {
    const memory = memorable(unit, assessment, identity, text);
    // Where the words do not say what runs, an input that is not known may say it.
    const unknownInput = request.stdin !== undefined && request.stdin.text === undefined;
    if (memory === undefined || (unknownInput && !memory.durable)) return undefined;
    memories.push(memory);
  }
  return memories;
}

function choicesFor(memories: readonly Memorable[] | undefined): readonly ApprovalChoice[] {
  if (memories === undefined) return ['once', 'deny'];
  return memories.every((memory) => memory.durable) ? ['once', 'session', 'always', 'deny'] : ['once', 'session', 'deny'];
}

function refused(refusal: Refusal): Settlement {
  return { by: refusal.by, refusal };
}
