import type { Readable } from 'node:stream';
import { type CommandSignal, type DriverProcess, isPetasosError, PetasosError, timerMs } from '../../contract/index.js';
import { encodeMessage, HeldScripts, type Message, sizeOf } from '../message.js';
import { quote } from '../quote.js';
import type { RunEnd, Running } from '../runner.js';
import { laneArguments } from '../scripts/index.js';
import { readStatus } from '../signals.js';
import type { Current, LaneFacts, LaneSettings, LaneState } from './lane-types.js';
import { explainEnd, noShell } from './lost.js';
import { LaneSide, unhold } from './side.js';

const longestPauseMs = 10_000;
/** How long a dead supervisor's streams must be silent before nothing more is expected of them. */
const drainMs = 1_000;
/** How late a client may be with its own deadline before the place takes over. */
const deadlineSlackMs = 200;
/**
 * A lane whose command has come this close to its deadline may be about to take its client for asleep and to end: the word that says
 * otherwise could come too late, and the next command with it.
 */
const reuseMarginMs = 1_000;
/** A retired lane is asked soon and then ever less often whether it is free. */
const firstProbeMs = 200;

/** One long-lived supervisor in the place that runs one command at a time. */
export class Lane {
  state: LaneState = 'idle';
  /** Resolves when the lane's process has ended, however it did. */
  readonly gone: Promise<void>;
  #leave: () => void = () => {};
  /** Resolves when it has been told to go, or has ended; from then on it hears nothing. */
  readonly left = new Promise<void>((resolve) => {
    this.#leave = resolve;
  });
  /** Called whenever {@link state} has changed. */
  onState: (lane: Lane) => void = () => {};
  #facts: LaneFacts | undefined;
  #pid = 0;
  /** How many trees are being ended. */
  #terminating = 0;
  /** What becomes of the lane as soon as none is. */
  #postponed: (() => void) | undefined;
  #current: Current | undefined;
  /** A command takes it over, or is about to. */
  taken = false;
  /** What is said to a lane that has been taken over would be input of its command. */
  #hears = true;
  /** It has been told to go and hears nothing any more. */
  leaving = false;
  readonly #settings: LaneSettings;
  readonly #process: DriverProcess;
  readonly #out: LaneSide;
  readonly #err: LaneSide;
  readonly #scripts = new HeldScripts();
  readonly #waiting = new Map<string, (payload: string | undefined) => void>();
  readonly #heartbeat: NodeJS.Timeout;
  #openSides = 2;

  private constructor(process: DriverProcess, stderr: Readable, settings: LaneSettings) {
    this.#process = process;
    this.#settings = settings;
    const end = () => {
      this.#openSides -= 1;
      if (this.#openSides === 0) this.#die();
    };
    this.#out = new LaneSide(process.stdout, { frame: (nonce, payload) => this.#frame(nonce, payload), end });
    this.#err = new LaneSide(stderr, { frame: (nonce, payload) => this.#frame(nonce, payload), end });
    process.stdin?.on('error', () => {});
    this.gone = process.exited.then(
      () => this.#exited(),
      () => this.#exited(),
    );
    void this.gone.then(this.#leave);
    this.#heartbeat = setInterval(() => this.#beat(), Math.min(longestPauseMs, (settings.silenceSeconds * 1000) / 3));
    this.#heartbeat.unref();
  }

  /** @throws what the driver throws, or `place-failed` when the place has no POSIX shell. */
  static async open(settings: LaneSettings): Promise<Lane> {
    const process = await settings.driver.spawn({ argv: laneArguments(settings.bash), stdin: true });
    if (!process.stdin || !process.stderr) {
      process.kill();
      throw new PetasosError('internal', `${settings.driver.ref.backend} declares live separate streams but gave none`);
    }
    const lane = new Lane(process, process.stderr, settings);
    const nonce = settings.nonce();
    const hello = lane.#await(nonce);
    lane.#out.scanner.expect(nonce);
    lane.#err.scanner.expect(nonce);
    lane.#write(
      [
        `petasos_nonce=${nonce}`,
        `petasos_dir=${quote(settings.scratch)}`,
        `petasos_idle=${settings.silenceSeconds}`,
        `petasos_grace=${settings.graceMs}`,
        `PETASOS_SANDBOX=${settings.sandbox}; export PETASOS_SANDBOX`,
      ].join('; '),
    );
    const payload = await hello;
    if (payload === undefined) {
      const exit = await process.exited.catch((error: unknown) => error);
      throw isPetasosError(exit) ? exit : noShell(settings.driver);
    }
    lane.#greet(payload);
    lane.#write(`M ${lane.pid}`);
    return lane;
  }

  get facts(): LaneFacts {
    if (!this.#facts) throw new PetasosError('internal', 'the lane has not opened yet');
    return this.#facts;
  }

  /** Pid, in the place, of the shell that runs the lane's commands: the root of their trees. */
  get pid(): number {
    return this.#pid;
  }

  /** For how long the reader of the running command has not read what is there. */
  restingMs = (): number => Math.max(this.#out.restingMs(), this.#err.restingMs());

  #greet(payload: string): void {
    const [, pid = '0', bash = '', proc, , , uid = '', directory = '/', home = ''] = payload.split('\n');
    this.#pid = Number(pid);
    this.#facts = {
      bash: bash === '' ? null : bash,
      uid: /^\d+$/.test(uid) ? Number(uid) : null,
      directory,
      home: home === '' ? '/' : home,
      reusable: proc === '1',
    };
  }

  /** Runs the command; the lane must be idle. With `rest` input the command gets the lane's own stdin, and the lane ends with it. */
  run(message: Message, cookie: string, deadlineMs: number | undefined): Running {
    const takesOver = message.input.kind === 'rest';
    const deadline = deadlineMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + deadlineMs;
    this.taken = takesOver;
    this.#setState('busy');
    for (const side of [this.#out, this.#err]) side.scanner.expect(message.nonce);
    let ended: (end: RunEnd) => void = () => {};
    const end = new Promise<RunEnd>((resolve) => {
      ended = resolve;
    });
    let settle: Current['started'] = { resolve() {}, reject() {} };
    const started = new Promise<void>((resolve, reject) => {
      settle = { resolve, reject };
    });
    started.catch(() => {});
    const current: Current = {
      nonce: message.nonce,
      cookie,
      stdout: this.#out.attach(),
      stderr: this.#err.attach(),
      pending: 2,
      sent: undefined,
      deadline,
      started: settle,
      ended,
    };
    this.#current = current;
    const line = encodeMessage(message, this.facts.bash, this.#scripts);
    this.#write(`${takesOver ? 'I' : 'R'} ${cookie} ${this.#silence(current)} ${sizeOf(line)}\n${line}`);
    this.#hears = !takesOver;
    return {
      stdin: takesOver ? this.#process.stdin : undefined,
      stdout: current.stdout,
      stderr: current.stderr,
      ended: end,
      started,
      kill: async (signal) => {
        this.noteSignal(signal);
        this.signal(signal, cookie, this.#rootOf(current));
      },
      terminate: (graceMs) => this.terminate(graceMs, cookie, this.#rootOf(current)),
      abandon: (reason) => {
        if (this.#current === current) this.#die(reason);
        this.kill();
      },
    };
  }

  /** What is below this lane's shell is the command's only while it runs; afterwards it is the next one's. */
  #rootOf(current: Current): number | undefined {
    return this.#current === current ? this.#pid : undefined;
  }

  /** Remembers a signal to the running command, whichever lane carries it. */
  noteSignal(signal: CommandSignal): void {
    if (this.#current) this.#current.sent = signal;
  }

  /** Without a root the tree is what carries the cookie, and its children. */
  signal(signal: CommandSignal, cookie: string, root: number | undefined): void {
    this.#write(`K ${signal.slice(3)} ${cookie} ${root ?? 'none'}`);
  }

  /** Resolves when nothing of the tree is left, or when the lane is gone. */
  async terminate(graceMs: number, cookie: string, root: number | undefined): Promise<void> {
    this.#terminating += 1;
    const killed = setTimeout(unhold, timerMs(graceMs), [this.#out, this.#err]);
    await this.#question(`T ${Math.round(graceMs)} ${cookie} ${root ?? 'none'}`);
    clearTimeout(killed);
    this.#terminating -= 1;
    if (this.#terminating > 0) return;
    this.#postponed?.();
    this.#postponed = undefined;
  }

  watch(cookie: string): void {
    this.#write(`W ${cookie}`);
  }

  unwatch(cookie: string): void {
    this.#write(`U ${cookie}`);
  }

  /** Ends the supervisor; what a command left running in the background stays. */
  quit(): void {
    if (this.state === 'dead') return;
    this.leaving = true;
    this.#leave();
    this.#write('Q');
    this.#process.stdin?.end();
  }

  kill(): void {
    this.#process.kill();
  }

  #write(line: string): void {
    const stdin = this.#process.stdin;
    if (this.#hears && stdin && !stdin.destroyed && stdin.writable) stdin.write(`${line}\n`);
  }

  #beat(): void {
    if (this.state === 'dead' || !this.#hears) return;
    if (this.state === 'retired') this.#probe();
    else if (this.#current) this.#ask(this.#current);
    else this.#write(`. ${this.#settings.silenceSeconds}`);
  }

  /**
   * Seconds until the place may take this client for lost. A command's deadline is one: the client ends the command then, and one
   * that has not by a moment later is asleep.
   */
  #silence(current: Current): string {
    const untilDeadline = Math.max(0.1, (current.deadline - performance.now() + deadlineSlackMs) / 1000);
    return Math.min(this.#settings.silenceSeconds, untilDeadline).toFixed(2);
  }

  /** A command can kill the process that reports its end; then the supervisor says that there is none. */
  #ask(current: Current): void {
    void this.#question('A', this.#silence(current)).then((payload) => {
      if (payload !== 'over') return;
      const timer = setTimeout(async () => {
        if (this.#current !== current) return;
        await this.terminate(0, current.cookie, this.#pid);
        if (this.#current === current) this.#die();
      }, drainMs);
      timer.unref();
    });
  }

  #retire(): void {
    this.#setState('retired');
    let pause = firstProbeMs;
    const again = () => {
      if (this.state !== 'retired') return;
      this.#probe();
      pause *= 2;
      if (pause < longestPauseMs) setTimeout(again, pause).unref();
    };
    setTimeout(again, pause).unref();
  }

  /** A retired lane serves again once nothing but its supervisor holds its streams. */
  #probe(): void {
    void this.#question('P').then((payload) => {
      if (payload === 'free' && this.state === 'retired') this.#setState('idle');
    });
  }

  async #question(verb: string, argument = ''): Promise<string | undefined> {
    const nonce = this.#settings.nonce();
    this.#out.scanner.expect(nonce);
    const answer = this.#await(nonce);
    this.#write(`${verb} ${nonce} ${argument}`.trimEnd());
    const payload = await answer;
    this.#out.scanner.forget(nonce);
    return payload;
  }

  #await(nonce: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      if (this.state === 'dead') resolve(undefined);
      else this.#waiting.set(nonce, resolve);
    });
  }

  #frame(nonce: string, payload: string): void {
    const waiting = this.#waiting.get(nonce);
    if (waiting) {
      this.#waiting.delete(nonce);
      waiting(payload);
      return;
    }
    const current = this.#current;
    if (!current || current.nonce !== nonce) return;
    if (payload === 'S') {
      current.started.resolve();
      return;
    }
    current.pending -= 1;
    if (current.pending === 0) this.#finish(current, payload);
  }

  #finish(current: Current, report: string): void {
    const [kind, ...fields] = report.split(' ');
    this.#release(current);
    if (kind === 'C') {
      current.started.reject(fields[0]);
      current.ended({ ended: 'exited', exitCode: null, signal: null });
      this.#afterwards(current, 'nobody');
      return;
    }
    current.started.resolve();
    current.ended({ ...readStatus(Number(fields[0]), fields[1] === '1', current.sent), note: fields.slice(3).join(' ') });
    this.#afterwards(current, fields[2] === '0' ? 'nobody' : fields[2] === '1' ? 'a process' : 'perhaps');
  }

  /** What becomes of the lane, by who may still write into it; a process that hides it can never be asked whether it still does. */
  #afterwards(current: Current, held: 'nobody' | 'a process' | 'perhaps'): void {
    if (this.taken) return;
    // What still ends this command's tree would take the next one for a part of it, and would be lost with the lane.
    if (this.#terminating > 0) {
      this.#postponed = () => this.#afterwards(current, held);
      return;
    }
    const leftMs = current.deadline - performance.now();
    if (leftMs < reuseMarginMs || held === 'perhaps') {
      this.#setState('retired');
      this.quit();
      return;
    }
    if (leftMs !== Number.POSITIVE_INFINITY) this.#write(`. ${this.#settings.silenceSeconds}`);
    if (held === 'nobody') this.#setState('idle');
    else if (this.facts.reusable) this.#retire();
    else this.quit();
  }

  #release(current: Current): void {
    this.#current = undefined;
    for (const side of [this.#out, this.#err]) {
      side.scanner.forget(current.nonce);
      side.detach();
    }
  }

  /**
   * The supervisor has ended. Its last words may still be on the way, and a left-over process may hold the streams open for
   * as long as it lives: the lane is dead once nothing has come for a while. One that runs nothing is dead at once, lest a command
   * takes it.
   */
  #exited(): void {
    if (!this.#current) {
      this.#die();
      return;
    }
    const check = setInterval(() => {
      if (this.state === 'dead') clearInterval(check);
      else if (!this.#current || (this.#out.quietMs() > drainMs && this.#err.quietMs() > drainMs)) this.#die();
    }, drainMs / 4);
    check.unref();
  }

  #die(reason?: 'disconnected' | 'destroyed'): void {
    if (this.state === 'dead') return;
    clearInterval(this.#heartbeat);
    this.#process.stdin?.end();
    this.#setState('dead');
    for (const resolve of this.#waiting.values()) resolve(undefined);
    this.#waiting.clear();
    const current = this.#current;
    if (!current) return;
    this.#release(current);
    const settle = (ended: 'disconnected' | 'destroyed') => {
      current.started.resolve();
      current.ended({ ended, exitCode: null, signal: null });
    };
    if (reason) settle(reason);
    else void explainEnd(this.#process, this.#settings.driver).then(settle);
  }

  #setState(state: LaneState): void {
    if (this.state === 'dead') return;
    this.state = state;
    this.onState(this);
  }
}
