import type { Exchange } from './http.js';

export type Parameters = Readonly<Record<string, string>>;
export type Handler<Extra extends readonly unknown[]> = (exchange: Exchange, parameters: Parameters, ...extra: Extra) => Promise<void>;

/** Finds the handler of a request by method and path; `:name` stands for one part of the path. */
export class Router<Extra extends readonly unknown[] = []> {
  readonly #routes: { readonly method: string; readonly parts: readonly string[]; readonly handler: Handler<Extra> }[] = [];

  on(method: string, path: string, handler: Handler<Extra>): this {
    this.#routes.push({ method, parts: path.split('/'), handler });
    return this;
  }

  /** Undefined when there is none. */
  find(method: string, path: string): { readonly handler: Handler<Extra>; readonly parameters: Parameters } | undefined {
    const given = path.split('/');
    for (const { method: wanted, parts, handler } of this.#routes) {
      if (wanted !== method || parts.length !== given.length) continue;
      const parameters: Record<string, string> = {};
      const fits = parts.every((part, index) => {
        const value = given[index] ?? '';
        if (!part.startsWith(':')) return part === value;
        parameters[part.slice(1)] = decodeURIComponent(value);
        return true;
      });
      if (fits) return { handler, parameters };
    }
    return undefined;
  }
}
