/** One request as the service saw it. */
export interface LoggedRequest {
  /** `POST /sandbox/…` or the name of a remote procedure. */
  readonly name: string;
  readonly at: number;
  /** Without the values of credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** What it carried, where it is JSON or a message; bytes are not kept. */
  body?: unknown;
  /** The answer's status as the service meant it: an HTTP status or a gRPC code. Absent while none was given. */
  status?: number;
  /** The fault that was put in its way. */
  fault?: string;
}

const credentials = /^(authorization|cookie|x-.*(token|key|secret).*)$/i;

/** Every request, so that tests can look at the traffic and not only at results. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];

  record(name: string, headers: Readonly<Record<string, string | string[] | undefined>> = {}, body?: unknown): LoggedRequest {
    const shown = Object.entries(headers).map(([key, value]) => [key, credentials.test(key) ? '[redacted]' : String(value ?? '')]);
    const entry: LoggedRequest = { name, at: Date.now(), headers: Object.fromEntries(shown) as Record<string, string>, body };
    this.#entries.push(entry);
    return entry;
  }

  /** Those whose name matches; all without a pattern. */
  matching(pattern: RegExp = /(?:)/): readonly LoggedRequest[] {
    return this.#entries.filter(({ name }) => pattern.test(name));
  }

  clear(): void {
    this.#entries.length = 0;
  }
}
