const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  v: '\v',
  '\\': '\\',
};

/** Backslash escapes of `printf`, `echo -e` and `$'…'`. Stops at `\c`. */
export function decodeEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  const stop = text.search(/(?<!\\)\\c/);
  const readable = stop < 0 ? text : text.slice(0, stop);
  return readable.replace(/\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|0?[0-7]{1,3}|[\s\S])/g, (whole, body: string) => {
    const first = body[0] as string;
    if (/[xuU]/.test(first) && body.length > 1) return fromCode(Number.parseInt(body.slice(1), 16), whole);
    if (/[0-7]/.test(first)) return fromCode(Number.parseInt(body, 8) & 0xff, whole);
    return simple[first] ?? (first === "'" || first === '"' || first === '?' ? first : whole);
  });
}

const fromCode = (code: number, otherwise: string): string => (code <= 0x10ffff ? String.fromCodePoint(code) : otherwise);
