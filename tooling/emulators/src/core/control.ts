import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccountState, Emulator } from './emulator.js';
import type { FaultRule } from './faults.js';
import type { LoggedRequest } from './requests.js';

/** What a test may ask of an emulator in another process. Everything is data. */
export interface ControlRequests {
  describe: { ask: undefined; answer: { readonly name: string; readonly url: string; readonly env: Record<string, string> } };
  fault: { ask: FaultRule; answer: null };
  clearFaults: { ask: undefined; answer: null };
  requests: { ask: string | undefined; answer: LoggedRequest[] };
  clearRequests: { ask: undefined; answer: null };
  knobs: { ask: Record<string, unknown>; answer: null };
  state: { ask: undefined; answer: AccountState };
  act: { ask: { readonly action: string; readonly box?: string | undefined }; answer: null };
  clock: { ask: { readonly advanceMs?: number; readonly skewMs?: number }; answer: null };
}

type Handlers = {
  [K in keyof ControlRequests]: (ask: ControlRequests[K]['ask']) => ControlRequests[K]['answer'] | Promise<ControlRequests[K]['answer']>;
};

/** Serves one emulator to tests in other processes, on a port of its own so that it is in no request log. */
export async function serveControl(emulator: Emulator<object>): Promise<{ readonly url: string; close(): Promise<void> }> {
  const handlers: Handlers = {
    describe: () => ({ name: emulator.name, url: emulator.url, env: { ...emulator.env } }),
    fault: (rule) => order(() => emulator.faults.add(rule)),
    clearFaults: () => order(() => emulator.faults.clear()),
    requests: (pattern) => [...emulator.requests.matching(new RegExp(pattern ?? ''))],
    clearRequests: () => order(() => emulator.requests.clear()),
    knobs: (values) => order(() => Object.assign(emulator.knobs, values)),
    state: () => emulator.state(),
    act: ({ action, box }) => order(() => emulator.act(action, box)),
    clock: ({ advanceMs, skewMs }) =>
      order(() => {
        if (skewMs !== undefined) emulator.clock.skew(skewMs);
        if (advanceMs !== undefined) emulator.clock.advance(advanceMs);
      }),
  };
  const server = createServer((request, response) => {
    answer(handlers, request).then(
      (value) => response.end(JSON.stringify(value ?? null)),
      (error: unknown) => {
        response.statusCode = 400;
        response.end(JSON.stringify({ message: error instanceof Error ? error.message : String(error) }));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function order(work: () => unknown): Promise<null> {
  await work();
  return null;
}

async function answer(handlers: Handlers, request: IncomingMessage): Promise<unknown> {
  const name = (request.url ?? '').slice(1);
  if (!Object.hasOwn(handlers, name)) throw new Error(`the emulator is not asked ${name}`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const handler = handlers[name as keyof ControlRequests] as (ask: unknown) => unknown;
  return handler(text === '' ? undefined : JSON.parse(text));
}

/** One question to {@link serveControl}. */
export async function ask<K extends keyof ControlRequests>(
  control: string,
  name: K,
  ask?: ControlRequests[K]['ask'],
): Promise<ControlRequests[K]['answer']> {
  const response = await fetch(`${control}/${name}`, {
    method: 'POST',
    // A kept connection would count as one that the tested client left open.
    headers: { connection: 'close' },
    ...(ask !== undefined && { body: JSON.stringify(ask) }),
  });
  const value: unknown = await response.json();
  if (!response.ok) throw new Error((value as { message: string }).message);
  return value as ControlRequests[K]['answer'];
}
