import { posix } from 'node:path';
import type { GateRequest } from '../../contract/gate.js';
import { sha256 } from '../memory/subject.js';
import { inPlace } from '../reach.js';
import type { Judge } from '../rules/examples.js';
import { type Finding, type JudgeContext, type Judgement, type ResolvedCommand, strictest, type Verdict } from '../verdict.js';

/** A judgement that includes the script files which the command runs, and what those files were. */
export interface ScriptedJudgement {
  readonly judgement: Judgement;
  /** Hashes of the files that a command runs or stands in. */
  readonly hashes: ReadonlyMap<ResolvedCommand, readonly string[]>;
  readonly files: ReadonlyMap<string, string>;
}

const shellNames: ReadonlySet<string> = new Set(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh', 'source', '.']);
const shebang = /^#!\s*(?:\S*\/)?(?:env\s+(?:-S\s+)?)?(?:\S*\/)?(?:ba|da|a|k|mk|z)?sh\b/;
/** Most scripts are shorter; only a longer one is read twice. */
const firstBytes = 64 * 1024;
const mostBytes = 1024 * 1024;
const mostFiles = 16;
const deepest = 4;

type Reader = Pick<GateRequest, 'readFile'>;

/** Reads the scripts of a judged command from the sandbox and judges shell scripts too. */
export async function judgeScripts(judgement: Judgement, context: JudgeContext, judge: Judge, reader: Reader): Promise<ScriptedJudgement> {
  const walk = new ScriptWalk(context, judge, reader);
  if (judgement.verdict === 'deny' || judgement.commands.every((command) => command.script === undefined)) {
    return { judgement, hashes: new Map(), files: new Map() };
  }
  await walk.enter(judgement, [], 0);
  return {
    judgement: {
      verdict: walk.verdict(judgement.verdict),
      findings: [...judgement.findings, ...walk.findings],
      commands: [...judgement.commands, ...walk.commands],
    },
    hashes: walk.hashes,
    files: walk.files,
  };
}

/** True when every file still is what was judged. */
export async function scriptsUnchanged(files: ReadonlyMap<string, string>, reader: Reader): Promise<boolean> {
  for (const [file, hash] of files) {
    const content = await readScript(file, reader);
    if (content === undefined || sha256(content) !== hash) return false;
  }
  return true;
}

class ScriptWalk {
  readonly findings: Finding[] = [];
  readonly commands: ResolvedCommand[] = [];
  readonly hashes = new Map<ResolvedCommand, readonly string[]>();
  readonly files = new Map<string, string>();

  constructor(
    private readonly context: JudgeContext,
    private readonly judge: Judge,
    private readonly reader: Reader,
  ) {}

  verdict(start: Verdict): Verdict {
    return this.findings.reduce((worst, finding) => strictest(worst, finding.severity), start);
  }

  async enter(judgement: Judgement, outer: readonly string[], depth: number): Promise<void> {
    for (const command of judgement.commands) {
      const { script } = command;
      if (outer.length > 0) this.hashes.set(command, outer);
      if (script?.path === undefined) continue;
      const known = this.files.has(script.path);
      const isShell = shellNames.has(script.interpreter);
      if (!known && (depth >= deepest || this.files.size >= mostFiles)) {
        if (isShell) this.#unread(command, script.path, 'it is one script too many');
        continue;
      }
      const content = await readScript(script.path, this.reader);
      if (content === undefined) {
        if (isShell) this.#unread(command, script.path, 'it cannot be read, or is larger than 1 MiB');
        continue;
      }
      const hash = sha256(content);
      this.files.set(script.path, hash);
      this.hashes.set(command, [...outer, hash]);
      const text = shellText(content, script.interpreter);
      if (text !== undefined && !known) await this.#judgeText(text, command, script.path, [...outer, hash], depth);
    }
  }

  async #judgeText(text: string, command: ResolvedCommand, file: string, hashes: readonly string[], depth: number): Promise<void> {
    const inner = this.judge(text, { ...this.context, cwd: command.cwd ?? this.context.cwd });
    const via = [...command.via, posix.basename(file)];
    const commands = inner.commands.map((one) => ({ ...one, span: command.span, via: [...via, ...one.via] }));
    this.findings.push(
      ...inner.findings.map((one) => ({
        ...one,
        span: command.span,
        via: [...via, ...one.via],
        reason: `in ${file}: ${one.reason}`,
        durable: false,
      })),
    );
    this.commands.push(...commands);
    await this.enter({ ...inner, commands }, hashes, depth + 1);
  }

  #unread(command: ResolvedCommand, file: string, why: string): void {
    this.findings.push({
      rule: 'script.unread',
      severity: inPlace('ask', 'anything', undefined, this.context),
      judged: 'ask',
      span: command.span,
      argv: command.argv.map((word) => word.text),
      via: command.via,
      reason: `what ${file} would do is not known: ${why}`,
      reach: 'anything',
      durable: false,
    });
  }
}

async function readScript(file: string, reader: Reader): Promise<Uint8Array | undefined> {
  const start = await reader.readFile(file, firstBytes + 1);
  if (start === undefined || start.length <= firstBytes) return start;
  const whole = await reader.readFile(file, mostBytes + 1);
  return whole === undefined || whole.length > mostBytes ? undefined : whole;
}

/** The text when a shell runs it; undefined for programs and for scripts of other interpreters. */
function shellText(content: Uint8Array, interpreter: string): string | undefined {
  const text = new TextDecoder().decode(content);
  if (shellNames.has(interpreter)) return text;
  if (interpreter !== '' || content.subarray(0, 512).includes(0)) return undefined;
  // A text without a first line that names its interpreter is run by sh.
  return !text.startsWith('#!') || shebang.test(text) ? text : undefined;
}
