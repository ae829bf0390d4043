import { type Backend, PetasosError } from '@petasos/core';

/**
 * The options as the backend's own schema understands them.
 * @throws PetasosError `invalid-options` naming each option that is wrong
 */
export async function parseBackendOptions(backend: Backend, raw: Readonly<Record<string, unknown>>): Promise<unknown> {
  const result = await backend.options['~standard'].validate(raw);
  if (result.issues === undefined) return result.value;
  const said = result.issues.map(({ message, path }) => {
    const name = path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
    return name === undefined || name === '' ? message : `${name}: ${message}`;
  });
  throw new PetasosError('invalid-options', said.join('; '), {
    backend: backend.name,
    operation: 'options',
    remedy: `Correct it in the configuration: petasos config list`,
  });
}
