import { HttpProblem } from '../core/index.js';

type Source = 'DAYTONA_API' | 'DAYTONA_DAEMON' | 'DAYTONA_PROXY';

export function apiProblem(status: number, message: string, headers?: Readonly<Record<string, string>>): HttpProblem {
  return new HttpProblem(status, message, { source: 'DAYTONA_API' satisfies Source }, headers);
}

export function daemonProblem(status: number, message: string, code?: string): HttpProblem {
  return new HttpProblem(status, message, { source: 'DAYTONA_DAEMON' satisfies Source, ...(code !== undefined && { code }) });
}

/** The proxy in front of the toolboxes: it answers when no daemon can. */
export function proxyProblem(status: number, message: string): HttpProblem {
  return new HttpProblem(status, message, { source: 'DAYTONA_PROXY' satisfies Source });
}
