import { PetasosError, type PetasosErrorCode, type PetasosErrorDetails, type SandboxRef } from '@petasos/core/backend';

export function failure(code: PetasosErrorCode, message: string, details: Omit<PetasosErrorDetails, 'backend'> = {}): PetasosError {
  return new PetasosError(code, message, { ...details, backend: 'singularity' });
}

export function notFound(name: string, operation: string): PetasosError {
  return failure('sandbox-not-found', `singularity has no sandbox ${name}`, { operation });
}

export function destroyed(ref: Pick<SandboxRef, 'name'>, why = 'has been destroyed', data?: PetasosErrorDetails['data']): PetasosError {
  return failure('destroyed', `the sandbox ${ref.name} of singularity ${why}`, { remedy: 'Open a new one.', ...(data && { data }) });
}
