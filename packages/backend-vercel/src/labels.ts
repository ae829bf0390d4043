import { PetasosError } from '@petasos/core/backend';

/** Vercel lets a sandbox carry five tags, and lists by one. */
export const ours = { petasos: 'sandbox' } as const;
const idTag = 'petasos-id';
const labelTags = ['petasos-labels', 'petasos-labels-2', 'petasos-labels-3'] as const;
const tagLength = 240;

/** Tags that carry an id and any labels: packed, because there are more labels than tags. */
export function tagsOf(id: string, labels: Readonly<Record<string, string>>): Record<string, string> {
  const packed = Buffer.from(JSON.stringify(labels)).toString('base64url');
  const parts = packed.match(new RegExp(`.{1,${tagLength}}`, 'g')) ?? [];
  if (parts.length > labelTags.length) {
    throw new PetasosError(
      'invalid-request',
      `the labels take ${packed.length} characters; vercel has room for ${labelTags.length * tagLength}`,
      {
        backend: 'vercel',
        operation: 'create',
        remedy: 'Give fewer or shorter labels.',
      },
    );
  }
  return { ...ours, [idTag]: id, ...Object.fromEntries(parts.map((part, at) => [labelTags[at], part])) };
}

/** Undefined for a sandbox that is not one of Petasos. */
export function readTags(
  tags: Readonly<Record<string, string>> | undefined,
): { readonly id: string; readonly labels: Readonly<Record<string, string>> } | undefined {
  const id = tags?.[idTag];
  if (tags?.petasos !== ours.petasos || id === undefined) return undefined;
  try {
    const packed = labelTags.map((name) => tags[name] ?? '').join('');
    return { id, labels: JSON.parse(Buffer.from(packed, 'base64url').toString('utf8')) as Record<string, string> };
  } catch {
    return { id, labels: {} };
  }
}

/** Names that Vercel has never been seen to refuse: anything else gets one by its hash. */
const plain = /^[a-z0-9][a-z0-9-]{0,47}$/;

/** The name that a sandbox has at Vercel, where the names of a project are shared with everybody else's sandboxes. */
export async function vendorName(name: string): Promise<string> {
  if (plain.test(name)) return `petasos-${name}`;
  const { createHash } = await import('node:crypto');
  const readable = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 30);
  return `petasos-${readable}-${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}
