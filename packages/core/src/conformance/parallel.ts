/**
 * Works through a list a few at a time: what costs a round trip each would take long one by one in a place far away.
 * Rejects with the first error once what was running is over.
 */
export async function each<T>(items: readonly T[], work: (item: T) => Promise<void>, width = 6): Promise<void> {
  const left = items.values();
  const errors: unknown[] = [];
  const lane = async () => {
    for (const item of left) {
      if (errors.length > 0) return;
      await work(item).catch((error: unknown) => void errors.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}
