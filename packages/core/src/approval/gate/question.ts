import type { GateRequest } from '../../contract/gate.js';
import type { Judge } from '../rules/examples.js';
import type { Finding, JudgeContext, Judgement, ResolvedCommand, Span } from '../verdict.js';

/** What is put to the judge for a request, and where in it the request's own text stands. */
interface Question {
  readonly text: string;
  /** The text before this offset stands for what surrounds the command: variables and input. */
  readonly offset: number;
  /** What stands before this offset was judged when it was sent. */
  readonly settled: number;
}

const shells: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh']);
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Names no variable that is set, so that the judge takes its value for unknown. */
const unknownText = '$__petasos_unknown';

/**
 * Judges the request with everything that flows into it. Variables become `export` lines and input becomes a pipe in front
 * of the command, so that the judge needs no second way to understand them; spans of the answer are those of the command.
 */
export function judgeRequest(request: GateRequest, context: JudgeContext, judge: Judge): Judgement {
  const safely: Judge = (text, where) => {
    try {
      return judge(text, where);
    } catch (cause) {
      return judgeFailed(cause, text.length);
    }
  };
  const question = ask(request, (text) => safely(text, context));
  const judgement = answer(safely(question.text, context), question, request.command.length);
  return request.operation === 'terminal' || request.operation === 'job' ? withoutInteractive(judgement) : judgement;
}

/**
 * The judge asks about an interpreter that waits for commands nobody has seen. In a terminal and in a job they are seen:
 * each line for them is a request of its own.
 */
function withoutInteractive(judgement: Judgement): Judgement {
  const isInteractive = (one: Finding) => one.rule === 'exec.interactive' && one.severity === 'ask';
  if (!judgement.findings.some(isInteractive)) return judgement;
  const findings = judgement.findings.map((one): Finding => (isInteractive(one) ? { ...one, severity: 'allow' } : one));
  return { ...judgement, findings, verdict: strictestOf(findings) };
}

function ask(request: GateRequest, judge: (text: string) => Judgement): Question {
  const variables = Object.entries(request.env).filter(([name]) => variableName.test(name));
  const exports = variables.map(([name, value]) => `export ${name}=${quote(value)}\n`).join('');
  const { reader, command, stdin } = request;
  const isInput = request.operation === 'job-input' || request.operation === 'terminal-input';
  if (isInput && (reader === undefined || readsShell(judge(reader.command)))) {
    const earlier = reader === undefined || reader.earlier === '' ? '' : `${reader.earlier.replace(/\n$/, '')}\n`;
    return {
      text: exports + earlier + command,
      offset: exports.length + earlier.length,
      settled: earlier === '' ? 0 : exports.length + earlier.length,
    };
  }
  if (isInput && reader !== undefined) {
    const before = `${exports}printf %s '`;
    return { text: `${before}${quote(command).slice(1)} | {\n${reader.command}\n}`, offset: before.length, settled: 0 };
  }
  if (stdin === undefined) return { text: exports + command, offset: exports.length, settled: 0 };
  const before = `${exports}printf %s ${stdin.text === undefined ? `"${unknownText}"` : quote(stdin.text)} | {\n`;
  return { text: `${before}${command}\n}`, offset: before.length, settled: 0 };
}

/** True when what the command reads is run by a shell, line by line. */
function readsShell(judgement: Judgement): boolean {
  const words = judgement.commands.at(-1)?.argv.map((word) => word.text) ?? [];
  const [program = '', ...rest] = words;
  return (
    shells.has(program.slice(program.lastIndexOf('/') + 1).replace(/^-/, '')) &&
    rest.every((word) => /^-[ilsx]+$|^--(?:login|norc|noprofile|posix)$/.test(word))
  );
}

function quote(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`;
}

function answer(judgement: Judgement, question: Question, length: number): Judgement {
  if (question.offset === 0 && question.text.length === length) return judgement;
  const { offset, settled } = question;
  const move = (span: Span): Span => {
    const start = Math.max(0, Math.min(length, span.start - offset));
    return { start, end: Math.max(start, Math.min(length, span.end - offset)) };
  };
  const isSettled = (span: Span) => settled > 0 && span.end <= settled;
  const findings: Finding[] = judgement.findings.filter((one) => !isSettled(one.span)).map((one) => ({ ...one, span: move(one.span) }));
  const commands: ResolvedCommand[] = judgement.commands
    .filter((one) => !isSettled(one.span) && !isOurs(one, offset))
    .map((one) => ({ ...one, span: move(one.span) }));
  const verdict = settled === 0 ? judgement.verdict : strictestOf(findings);
  return { verdict, findings, commands };
}

/** The `export` and `printf` that stand for variables and input are not the caller's commands; what they feed is. */
function isOurs(command: ResolvedCommand, offset: number): boolean {
  const program = command.argv[0]?.text;
  return command.via.length === 0 && command.span.end <= offset && (program === 'export' || program === 'printf');
}

function strictestOf(findings: readonly Finding[]): Judgement['verdict'] {
  if (findings.some((one) => one.severity === 'deny')) return 'deny';
  return findings.some((one) => one.severity === 'ask') ? 'ask' : 'allow';
}

/** A judge that fails has understood nothing: the answer is a question to a person. */
function judgeFailed(cause: unknown, length: number): Judgement {
  const finding: Finding = {
    rule: 'judge.failed',
    severity: 'ask',
    judged: 'ask',
    span: { start: 0, end: length },
    argv: [],
    via: [],
    reason: `the command could not be judged (${cause instanceof Error ? cause.message : 'unknown failure'})`,
    reach: 'host',
    durable: false,
  };
  return { verdict: 'ask', findings: [finding], commands: [] };
}
