import type { Call } from '../call.js';
import { type Data, data, isKnown, mixed, unknownData } from '../flow.js';
import { isSecret } from '../path-policy.js';

/** The content that a filter reads: its files where they are known, else its input. */
export function inputOf(call: Call, files: readonly { readonly raw: string }[]): Data {
  if (files.length === 0) return call.stdin ?? unknownData;
  const contents = files.map((file) =>
    file.raw === '-'
      ? (call.stdin ?? unknownData)
      : (call.at.written(call.path(file.raw)) ??
        call.at.descriptor(call.path(file.raw)) ??
        data(undefined, isSecret(call.path(file.raw)) || /^\/(?:etc|root|proc|var)\//.test(call.path(file.raw)) ? 'secret' : 'file')),
  );
  const sources = mixed(...contents);
  return { text: contents.every(isKnown) ? contents.map((content) => content.text).join('') : undefined, sources };
}

/** Output of a filter over its input. Undefined when the input, or what is done to it, is unknown. */
export function filtered(
  call: Call,
  files: readonly { readonly raw: string }[],
  change: (text: string) => string | undefined,
  decodes = false,
): Data {
  const input = inputOf(call, files);
  const sources = decodes ? new Set([...input.sources, 'decoded' as const]) : input.sources;
  if (!isKnown(input)) return { text: undefined, sources };
  return { text: change(input.text), sources };
}
