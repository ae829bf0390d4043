import pico from 'picocolors';

export type Style = ReturnType<typeof pico.createColors>;

const plain = pico.createColors(false);
const coloured = pico.createColors(true);

/** `NO_COLOR` wins over everything, then `FORCE_COLOR`; else a stream has colours when it is a terminal that can show them. */
export function styleFor(stream: { readonly isTTY?: boolean | undefined }, env: Readonly<Record<string, string | undefined>>): Style {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return plain;
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '' && env.FORCE_COLOR !== '0') return coloured;
  return stream.isTTY === true && env.TERM !== 'dumb' ? coloured : plain;
}
