const units: Readonly<Record<string, number>> = { '': 1, b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** Bytes of a size as docker writes it: `64m`, `1g`, `1gb`. Undefined when it is none. */
export function parseSize(value: string | number): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value > 0 ? Math.round(value) : undefined;
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)\s*([bkmg]?)(?:i?b)?$/i.exec(value.trim()) ?? [];
  const bytes = Number(number) * (units[unit.toLowerCase()] ?? Number.NaN);
  return number !== '' && bytes > 0 ? Math.round(bytes) : undefined;
}
