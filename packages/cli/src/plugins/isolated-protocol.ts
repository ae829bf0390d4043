import type { CheckFinding, OptionField, SandboxListing, Traits } from '@petasos/core';

/** What can be asked of a backend without trusting it to return. */
export interface IsolatedTasks {
  readonly traits: Traits;
  readonly needs: BackendNeeds;
  readonly check: readonly CheckFinding[];
  readonly list: readonly SandboxListing[];
}

/** What a person has to be asked before a backend works. */
export interface BackendNeeds {
  readonly options: readonly OptionField[];
  /** Names of variables that hold its credentials. */
  readonly secrets: readonly string[];
}

export type IsolatedTask = keyof IsolatedTasks;

export interface IsolatedRequest {
  readonly task: IsolatedTask;
  readonly name: string;
  readonly entry: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export type IsolatedReply =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string; readonly remedy: string | undefined };
