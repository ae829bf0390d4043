/** What goes wrong. `when: 'after'` means that the service has done its work and only the answer is spoilt. Data: it may travel. */
export type Fault =
  /** An HTTP status, or a gRPC code, instead of the answer. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly when?: 'before' | 'after';
      readonly headers?: Readonly<Record<string, string>>;
      readonly message?: string;
    }
  /** The connection is cut without an answer. */
  | { readonly kind: 'reset'; readonly when?: 'before' | 'after' }
  /** No answer: for `ms`, else for ever. */
  | { readonly kind: 'stall'; readonly when?: 'before' | 'after'; readonly ms?: number }
  | { readonly kind: 'delay'; readonly ms: number }
  /** A streamed answer that stops after so many bytes: cut, ended as if whole, or silent. */
  | { readonly kind: 'cut-stream'; readonly afterBytes: number; readonly how: 'reset' | 'end' | 'stall' }
  /** A streamed answer in pieces of so many bytes, through the middle of characters. */
  | { readonly kind: 'split-stream'; readonly bytes: number }
  /** What only one service can do: its layer knows the name. */
  | { readonly kind: 'own'; readonly name: string; readonly data?: unknown };

export interface FaultRule {
  /** Regular expression for the names of requests, as in the request log. */
  readonly on: string;
  readonly fault: Fault;
  /** How many requests it meets; default 1. */
  readonly times?: number;
  /** How many requests it lets pass first. */
  readonly skip?: number;
}

/** What is to go wrong, in order. */
export class Faults {
  readonly #rules: { readonly pattern: RegExp; readonly fault: Fault; left: number; skip: number }[] = [];

  add(rule: FaultRule): void {
    this.#rules.push({ pattern: new RegExp(rule.on), fault: rule.fault, left: rule.times ?? 1, skip: rule.skip ?? 0 });
  }

  clear(): void {
    this.#rules.length = 0;
  }

  /** The fault for this request, counted as used. Asked once for each request. */
  take(name: string): Fault | undefined {
    for (const rule of this.#rules) {
      if (rule.left <= 0 || !rule.pattern.test(name)) continue;
      if (rule.skip > 0) {
        rule.skip -= 1;
        continue;
      }
      rule.left -= 1;
      return rule.fault;
    }
    return undefined;
  }

  /** Rules that have not met all the requests they were meant for. */
  get pending(): number {
    return this.#rules.filter(({ left }) => left > 0).length;
  }
}
