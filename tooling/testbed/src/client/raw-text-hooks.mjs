import { readFile } from 'node:fs/promises';

const suffix = '?raw';

export function resolve(specifier, context, next) {
  if (!specifier.endsWith(suffix)) return next(specifier, context);
  return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!url.endsWith(suffix)) return next(url, context);
  const text = await readFile(new URL(url.slice(0, -suffix.length)), 'utf8');
  return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
}
