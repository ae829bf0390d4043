import { hostname, userInfo } from 'node:os';

/** Whose sandboxes this process makes, as their label `petasos.owner` says it: on an engine that many share, names are each owner's own. */
export function sandboxOwner(): string {
  return `${userInfo().username}@${hostname()}`;
}
