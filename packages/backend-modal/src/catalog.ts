import { type HostInfo, requireCredentials, withRetries } from '@petasos/core/backend';
import type { App, ModalClient, Sandbox } from 'modal';
import { type Account, chooseAccount, tokenRemedy } from './account.js';
import { failureOf, judgeIdempotent, translate } from './errors.js';
import { defaultApp, type ModalOptions } from './options.js';
import { connect } from './sdk.js';

/** One sandbox of Modal's, running or ended: a Petasos sandbox has one after the other, of which one at most runs. */
export interface Life {
  readonly sandbox: Sandbox;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Date;
  readonly running: boolean;
}

/** How far back ended sandboxes are looked at: no snapshot of theirs is younger than they are, and a month is its life. */
const memoryMs = 31 * 24 * 3_600_000;

/** The sandboxes of one Modal app. */
export class Catalog {
  readonly client: ModalClient;
  readonly appName: string;
  #app: Promise<App> | undefined;

  private constructor(client: ModalClient, appName: string) {
    this.client = client;
    this.appName = appName;
  }

  /** @throws `credentials`, `unavailable` */
  static async open(options: ModalOptions, env: HostInfo['env'], operation: string): Promise<Catalog> {
    const { choice, settings } = await chooseAccount(options, env);
    const { parts } = requireCredentials('modal', operation, choice, tokenRemedy);
    const account: Account = { ...settings, tokenId: parts['token id'], tokenSecret: parts['token secret'] };
    return new Catalog(await connect(account), options.app ?? defaultApp);
  }

  /** Made when it is missing. */
  app(): Promise<App> {
    this.#app ??= ask('the app cannot be found', () => this.client.apps.fromName(this.appName, { createIfMissing: true }));
    this.#app.catch(() => {
      this.#app = undefined;
    });
    return this.#app;
  }

  /** The running sandbox of this name. */
  async running(name: string): Promise<Life | undefined> {
    const sandbox = await orUndefined('missing', () =>
      ask('the sandbox cannot be looked up', () => this.client.sandboxes.fromName(this.appName, name)),
    );
    if (sandbox === undefined) return undefined;
    const tags = await orUndefined('missing', () => ask('its tags cannot be read', () => sandbox.getTags()));
    if (tags === undefined) return undefined;
    return { sandbox, tags, createdAt: new Date(tags['petasos.created'] ?? 0), running: true };
  }

  /**
   * Sandboxes with these tags, newest first; the ended ones too where they are asked for. The SDK's own listing gives ids alone, and a request
   * for the tags of each; the answer it throws away has all of them.
   */
  async *lives(tags: Readonly<Record<string, string>>, includeFinished: boolean): AsyncGenerator<Life> {
    const app = await orUndefined('missing', () => ask('the app cannot be found', () => this.client.apps.fromName(this.appName)));
    if (app === undefined) return;
    const wanted = Object.entries(tags).map(([tagName, tagValue]) => ({ tagName, tagValue }));
    let beforeTimestamp: number | undefined;
    for (;;) {
      const { sandboxes } = await ask('the sandboxes cannot be listed', () => {
        const request = {
          appId: app.appId,
          includeFinished,
          tags: wanted,
          ...(beforeTimestamp === undefined ? {} : { beforeTimestamp }),
        };
        const { cpClient, profile } = this.client;
        return profile.sandboxV2 ? cpClient.sandboxListV2(request) : cpClient.sandboxList(request);
      });
      for (const row of sandboxes) {
        yield {
          sandbox: await this.client.sandboxes.fromId(row.id),
          tags: Object.fromEntries(row.tags.map(({ tagName, tagValue }) => [tagName, tagValue])),
          createdAt: new Date(row.createdAt * 1000),
          running: (row.taskInfo?.result?.status ?? 0) === 0,
        };
      }
      beforeTimestamp = sandboxes.at(-1)?.createdAt;
      if (beforeTimestamp === undefined || beforeTimestamp * 1000 < Date.now() - memoryMs) return;
    }
  }
}

/** Reads from the service, again where that may help. @throws PetasosError */
export async function ask<Result>(what: string, send: () => Promise<Result>): Promise<Result> {
  try {
    return await withRetries(send, { backend: 'modal', operation: 'ask', judge: judgeIdempotent(), attempts: 5, waitAtMostMs: 20_000 });
  } catch (error) {
    throw translate(error, 'ask', what);
  }
}

/** Undefined instead of an error of this kind. */
export async function orUndefined<Result>(kind: ReturnType<typeof failureOf>, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (failureOf(error) === kind || failureOf((error as { readonly cause?: unknown }).cause) === kind) return undefined;
    throw error;
  }
}
