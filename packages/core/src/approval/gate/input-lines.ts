import type { GateRequest } from '../../contract/gate.js';

/** Bytes to send on; when there is a `text`, only after the gate has admitted it. */
export interface InputPiece {
  readonly bytes: Buffer;
  readonly text?: string | undefined;
}

const mostEarlier = 32 * 1024;
/** Stands for what a key put into the line that cannot be seen here: completion, history, cursor movement. */
const unseen = '$__petasos_unseen';
const enter: ReadonlySet<string> = new Set(['\r', '\n']);
/** In UTF-8, or a byte that is none. */
const lastCharacter = /(?:[\u00c0-\u00ff][\u0080-\u00bf]+|[\s\S])$/u;
const key = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|O.|.)?|[\s\S]/gsu;

/** Sent to a terminal, takes back what was typed into the line that was refused. */
export const clearLine = Buffer.from([0x15]);

/**
 * Cuts what is sent to an interpreter into lines for the gate. A job gets whole lines, a terminal its keys at once (they
 * have to echo) and only the Enter after the gate. Programs that act on single keys are not seen: only lines are.
 */
export class InputLines {
  /** One character a byte, as the line below: what is no text must come out as it went in. */
  #held = '';
  #line = '';
  #earlier = '';

  constructor(
    private readonly command: string,
    private readonly kind: 'job' | 'terminal',
  ) {}

  /** For the request: what reads the lines, and what was delivered before. */
  get reader(): NonNullable<GateRequest['reader']> {
    return { command: this.command, earlier: this.#earlier };
  }

  push(chunk: Uint8Array | string): readonly InputPiece[] {
    const bytes = Buffer.from(chunk as Uint8Array).toString('latin1');
    return this.kind === 'job' ? this.#wholeLines(bytes) : this.#keys(bytes);
  }

  /** What is left at the end of the input. */
  end(): readonly InputPiece[] {
    const bytes = Buffer.from(this.#held, 'latin1');
    this.#held = '';
    return bytes.length === 0 ? [] : [{ bytes, text: bytes.toString('utf8') }];
  }

  /** To be called when an admitted text has been sent: later lines are judged after it. */
  delivered(text: string): void {
    const earlier = `${this.#earlier}${text}${text.endsWith('\n') ? '' : '\n'}`;
    this.#earlier = earlier.length <= mostEarlier ? earlier : earlier.slice(earlier.indexOf('\n', earlier.length - mostEarlier) + 1);
  }

  /** A line that ends in a backslash goes on in the next one, and is nothing to judge alone. */
  #wholeLines(chunk: string): readonly InputPiece[] {
    this.#held += chunk;
    const lines = /^[\s\S]*(?<!\\)(?:\\\\)*\n/.exec(this.#held)?.[0];
    if (lines === undefined) return [];
    this.#held = this.#held.slice(lines.length);
    const bytes = Buffer.from(lines, 'latin1');
    return [{ bytes, text: bytes.toString('utf8') }];
  }

  #keys(chunk: string): readonly InputPiece[] {
    const pieces: InputPiece[] = [];
    let plain = '';
    for (const [one] of chunk.matchAll(key)) {
      if (enter.has(one)) {
        if (plain !== '') pieces.push({ bytes: Buffer.from(plain, 'latin1') });
        plain = '';
        pieces.push({ bytes: Buffer.from(one), text: Buffer.from(this.#line, 'latin1').toString('utf8') });
        this.#line = '';
      } else {
        plain += one;
        this.#line = edit(this.#line, one);
      }
    }
    if (plain !== '') pieces.push({ bytes: Buffer.from(plain, 'latin1') });
    return pieces;
  }
}

/** The line after a key. */
function edit(line: string, pressed: string): string {
  switch (pressed) {
    case '\u007f':
    case '\b':
      return line.endsWith(unseen) ? line : line.replace(lastCharacter, '');
    case '\u0015':
    case '\u0003':
      return '';
    case '\u0017':
      return line.includes(unseen) ? line : line.replace(/[^ \t]*[ \t]*$/, '');
    default:
      return pressed < ' ' ? line + unseen : line + pressed;
  }
}
