import { setTimeout as delay } from 'node:timers/promises';
import { PetasosError } from '@petasos/core/backend';
import { type DialContext, dial } from './dial.js';
import { Line, SessionRefused } from './line.js';
import { describeTarget, type SshTarget } from './target.js';

/** How long a connection that nobody uses is kept for the next one who asks. */
const lingerMs = 300;

/**
 * The connections to one server: one, as long as the server takes all sessions on it. A server with a limit (`MaxSessions`) gets a
 * further connection for what does not fit, and a lost one is replaced when something is next to be done.
 */
export class LinePool {
  readonly target: SshTarget;
  readonly #lines = new Set<Line>();
  #dialing: { readonly line: Promise<Line>; reserved: number }[] = [];
  /** Sessions that the server takes on one connection, as far as it has refused one more. */
  #limit = Number.POSITIVE_INFINITY;
  #holders = 0;
  #timer: NodeJS.Timeout | undefined;
  /** Of whoever came last: a person can be asked only where somebody is. */
  #context: DialContext = {};

  constructor(target: SshTarget) {
    this.target = target;
  }

  hold(context: DialContext): void {
    this.#context = context;
    this.#holders += 1;
    clearTimeout(this.#timer);
    if (this.#holders === 1) for (const line of this.#lines) line.hold(true);
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    for (const line of this.#lines) line.hold(false);
    this.#timer = setTimeout(() => this.#closeAll(), lingerMs);
    this.#timer.unref();
  }

  /** How many sessions one connection takes; infinite while none was refused. */
  get sessionLimit(): number {
    return this.#limit;
  }

  /** A connection that is there; none is made. */
  get present(): Line | undefined {
    return [...this.#lines][0];
  }

  /** Opens a session on a connection that takes it. `closed` must be called when it is over. */
  async session<T>(open: (line: Line) => Promise<T>): Promise<{ readonly opened: T; readonly line: Line; closed(): void }> {
    for (let tries = 0; ; tries += 1) {
      const line = await this.#withRoom();
      try {
        const opened = await open(line);
        let over = false;
        const closed = () => {
          if (!over) this.#free(line);
          over = true;
        };
        return { opened, line, closed };
      } catch (error) {
        this.#free(line);
        if (!(error instanceof SessionRefused)) throw error;
        if (line.reserved === 0) {
          // A session that has just ended may count for a moment longer there.
          if (tries >= 10) throw this.#noSession(error);
          await delay(10 * tries);
          continue;
        }
        // Those that are still on their way may be refused as well: the limit is known when the last of them was.
        this.#limit = Math.min(this.#limit, line.reserved);
      }
    }
  }

  /** The connection for what takes no session: forwarding and questions. */
  async line(): Promise<Line> {
    return this.present ?? (await (this.#dialing[0]?.line ?? this.#dial(0)));
  }

  async #withRoom(): Promise<Line> {
    for (const line of this.#lines) {
      if (line.reserved >= this.#limit) continue;
      line.reserved += 1;
      return line;
    }
    const coming = this.#dialing.find(({ reserved }) => reserved < this.#limit);
    if (coming === undefined) return this.#dial(1);
    coming.reserved += 1;
    return coming.line;
  }

  #dial(reserved: number): Promise<Line> {
    const settled = () => {
      this.#dialing = this.#dialing.filter((one) => one !== entry);
    };
    const started = dial(this.target, this.#context).then(
      (dialed) => {
        settled();
        const line = new Line(dialed, this.target);
        line.reserved = entry.reserved;
        this.#lines.add(line);
        line.hold(this.#holders > 0);
        line.onLost(() => {
          this.#lines.delete(line);
          if (this.#lines.size === 0) this.#limit = Number.POSITIVE_INFINITY;
        });
        if (this.#holders === 0) line.close();
        return line;
      },
      (error: unknown) => {
        settled();
        throw error;
      },
    );
    const entry = { line: started, reserved };
    this.#dialing.push(entry);
    return started;
  }

  /** The first connection stays; a further one goes with its last session. */
  #free(line: Line): void {
    line.reserved -= 1;
    if (line.reserved === 0 && line !== this.present) line.close();
  }

  #closeAll(): void {
    for (const line of this.#lines) line.close();
  }

  #noSession(cause: unknown): PetasosError {
    return new PetasosError('place-failed', `${describeTarget(this.target)} opens no session`, {
      backend: 'ssh',
      operation: 'open',
      cause,
      remedy: 'The account may only forward ports; look at ForceCommand, MaxSessions and the log of the server.',
    });
  }
}

const pools = new Map<string, LinePool>();

/** The connections of this process to a server, shared by whoever asks for the same one in the same way. */
export function poolFor(target: SshTarget): LinePool {
  const id = JSON.stringify(target);
  const known = pools.get(id);
  if (known !== undefined) return known;
  const pool = new LinePool(target);
  pools.set(id, pool);
  return pool;
}
