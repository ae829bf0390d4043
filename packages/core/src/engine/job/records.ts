import { type CommandSignal, PetasosError } from '../../contract/index.js';
import type { Operator } from '../operator.js';
import { jobScripts } from '../scripts/index.js';
import { readStatus } from '../signals.js';

/** What `start` needs besides the message. */
export interface JobStart {
  readonly id: string;
  /** One line for the supervisor; holds secrets, so it travels as input. */
  readonly message: string;
  /** For readers: JSON on one line. */
  readonly about: string;
  /** Bytes kept of each stream. */
  readonly limit: number;
  readonly timeoutMs: number | undefined;
  readonly graceMs: number;
  readonly mode: 'keep' | 'hold';
  readonly openInput: boolean;
}

export interface JobRecord {
  readonly id: string;
  readonly pid: number | null;
  readonly alive: boolean;
  /** The supervisor's last report; undefined while there is none. */
  readonly report: string | undefined;
  readonly endedAt: Date | undefined;
  readonly timedOut: boolean;
  readonly about: string;
}

export interface JobChunk {
  readonly from: number;
  readonly bytes: Buffer;
  readonly end: boolean;
}

/** How a held command is looked at. */
export interface Look {
  /** Bytes of each stream. */
  readonly maxBytes: number;
  /** How long to wait for output, in hundredths of a second. */
  readonly waitHundredths: number;
}

export interface Launched {
  /** The word that says why the command's directory cannot be entered. */
  readonly refused: string | undefined;
  /** What the first look at a held command has found; undefined when somebody has removed its records meanwhile. */
  readonly answer: Buffer | undefined;
}

/** Seconds without a reader after which a held command ends. */
const patienceSeconds = 20;

/** The directory of jobs in the place, read and written by scripts alone. */
export class JobRecords {
  readonly #operator: Operator;
  readonly #directory: () => Promise<string>;
  readonly #backend: string;

  constructor(operator: Operator, directory: () => Promise<string>, backend: string) {
    this.#operator = operator;
    this.#directory = directory;
    this.#backend = backend;
  }

  /** @returns the word that says why the command's directory cannot be entered, or undefined when the job runs. */
  async start(job: JobStart): Promise<string | undefined> {
    return (await this.#begin(jobScripts.start, job, [])).refused;
  }

  /**
   * Starts a held command and looks at it once, in one operation: a short one is over by then. `gone`: ids of commands whose output has
   * arrived and whose records go.
   */
  async launch(job: JobStart, look: Look, gone: readonly string[]): Promise<Launched> {
    const gonePaths = await Promise.all(gone.map((id) => this.path(id)));
    return this.#begin(jobScripts.launch, job, [String(look.maxBytes), String(look.waitHundredths), ...gonePaths]);
  }

  async #begin(script: string, job: JobStart, further: readonly string[]): Promise<Launched> {
    const timeout = job.timeoutMs === undefined ? '' : String(Math.min(Math.ceil(job.timeoutMs), Number.MAX_SAFE_INTEGER));
    const args = [
      await this.path(job.id),
      jobScripts.supervisor,
      String(job.limit),
      timeout,
      String(job.graceMs),
      job.mode,
      String(patienceSeconds),
      job.openInput ? 'open' : '',
      ...further,
    ];
    const result = await this.#operator.operate(script, args, Buffer.from(`${job.message}\n${job.about}\n`));
    if (result.exitCode === 0) return { refused: undefined, answer: result.stdout };
    if (result.exitCode === 3) return { refused: undefined, answer: undefined };
    if (result.exitCode === 4) return { refused: result.stdout.toString('utf8'), answer: result.stdout };
    throw new PetasosError('no-space', `the job cannot be recorded in ${await this.#directory()} of ${this.#backend}`, {
      backend: this.#backend,
      operation: 'jobs.start',
      remedy: 'Make room in the temporary directory of the place, or make it writable.',
    });
  }

  async path(id: string): Promise<string> {
    return `${await this.#directory()}/${id}`;
  }

  async list(ids: readonly string[]): Promise<JobRecord[]> {
    const { stdout } = await this.#operator.operate(jobScripts.state, [await this.#directory(), ...ids]);
    const entries = stdout.toString('utf8').split('\u001e').slice(0, -1);
    return entries.map((entry) => {
      const [id = '', pid = '', alive, report = '', ended = '', late, ...about] = entry.split('\n');
      return {
        id,
        pid: /^\d+$/.test(pid) ? Number(pid) : null,
        alive: alive === '1',
        report: report === '' ? undefined : report,
        endedAt: /^\d+$/.test(ended) ? new Date(Number(ended) * 1000) : undefined,
        timedOut: late === '1',
        about: about.join('\n').trimEnd(),
      };
    });
  }

  /** Undefined when there is no such job. */
  async read(id: string, stream: 'out' | 'err', from: number, maxBytes: number): Promise<JobChunk | undefined> {
    const { exitCode, stdout } = await this.#operator.operate(jobScripts.read, [
      await this.path(id),
      stream,
      String(from),
      String(maxBytes),
    ]);
    if (exitCode !== 0) return undefined;
    const line = stdout.indexOf(10);
    const [first = 0, length = 0, over] = stdout.toString('latin1', 0, line).split(' ').map(Number);
    // The last file may have grown between the look at its size and the reading: the size is what was promised.
    return { from: first, bytes: stdout.subarray(line + 1, line + 1 + length), end: over === 1 };
  }

  async signal(id: string, signal: CommandSignal): Promise<void> {
    await this.#operator.operate(jobScripts.signal, [id, await this.path(id), signal.slice(3), '0']);
  }

  async terminate(id: string, graceMs: number): Promise<void> {
    await this.#operator.operate(jobScripts.signal, [id, await this.path(id), 'end', String(graceMs)]);
  }

  /** @returns false when the job takes no input (any more). */
  async write(id: string, data: Uint8Array): Promise<boolean> {
    const script = '[ -p "$1/in" ] && [ -e "$1/holder" ] && [ ! -s "$1/status" ] && cat >"$1/in"';
    return (await this.#operator.operate(script, [await this.path(id)], data)).exitCode === 0;
  }

  async closeInput(id: string): Promise<void> {
    const script = '[ -e "$1/holder" ] || exit 0; read -r p <"$1/holder"; rm -f -- "$1/holder"; kill "$p" 2>/dev/null; exit 0';
    await this.#operator.operate(script, [await this.path(id)]);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const paths = await Promise.all(ids.map((id) => this.path(id)));
    await this.#operator.operate('rm -rf -- "$@"', paths);
  }
}

/** What the supervisor's report says: `E status by-signal held note`. `sent` is the last signal of ours. */
export function readReport(report: string, sent?: string): ReturnType<typeof readStatus> {
  const [, status = '', bySignal] = report.split(' ');
  return readStatus(Number(status), bySignal === '1', sent);
}
