export interface ImageReference {
  /** Host of the registry as its address has it; `docker.io` where the reference names none. */
  readonly registry: string;
  /** What the engine is asked to pull: without a tag it would pull them all. */
  readonly name: string;
  readonly tag: string;
}

/** Takes `registry/path:tag` or `…@digest` apart, by docker's rules: the first part is a host if it looks like one. */
export function parseReference(reference: string): ImageReference {
  const [withoutDigest = '', digest] = reference.split('@');
  const lastSlash = withoutDigest.lastIndexOf('/');
  const colon = withoutDigest.indexOf(':', lastSlash + 1);
  const name = colon === -1 ? withoutDigest : withoutDigest.slice(0, colon);
  const tag = digest ?? (colon === -1 ? 'latest' : withoutDigest.slice(colon + 1));
  const [first = '', ...rest] = name.split('/');
  const isHost = rest.length > 0 && (/[.:]/.test(first) || first === 'localhost');
  return { registry: isHost ? first : 'docker.io', name, tag };
}
