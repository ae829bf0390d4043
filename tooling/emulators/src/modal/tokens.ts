import { randomBytes } from 'node:crypto';
import { code, GrpcProblem } from './wire/status.js';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens with an end, of the form that the SDK looks into. Nobody signs them: only whether they were given out counts. */
export class Tokens {
  readonly #given = new Map<string, { readonly subject: string; readonly until: number }>();

  give(subject: string, seconds: number): string {
    // A day that a test lets pass at once is none in which a client could have asked for another token.
    const until = Date.now() / 1000 + seconds;
    const exp = Math.floor(until);
    const token = `${part({ alg: 'none' })}.${part({ exp, jti: randomBytes(9).toString('hex') })}.x`;
    this.#given.set(token, { subject, until });
    return token;
  }

  /** @throws UNAUTHENTICATED for a token that was not given out, or is over. */
  require(token: string | undefined): string {
    const found = token === undefined ? undefined : this.#given.get(token);
    if (found === undefined || found.until <= Date.now() / 1000)
      throw new GrpcProblem(code.unauthenticated, 'the token is not valid (any more)');
    return found.subject;
  }

  /** Makes every token invalid. */
  revoke(): void {
    this.#given.clear();
  }
}
