import { loadSdk } from '@petasos/core/backend';

type Sdk = typeof import('@vercel/sandbox');

export const sdkName = '@vercel/sandbox';
export const sdkVersion = '3.5.0';

/** The official SDK, loaded when a sandbox is first asked for. */
export function sdk(): Promise<Sdk> {
  return loadSdk<Sdk>({ backend: 'vercel', name: sdkName, version: sdkVersion, load: () => import('@vercel/sandbox'), is: isSdk });
}

function isSdk(module: unknown): module is Sdk {
  if (typeof module !== 'object' || module === null || !('Sandbox' in module)) return false;
  const { Sandbox } = module;
  return typeof Sandbox === 'function' && ['create', 'get', 'list'].every((name) => name in Sandbox);
}
