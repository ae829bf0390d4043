import { PetasosError } from '../contract/index.js';

export interface SdkPackage<Module> {
  readonly backend: string;
  /** Name on npm, and the version that the backend was proven with. */
  readonly name: string;
  readonly version: string;
  /** What is known to be confused with it. Said when something else was found. */
  readonly hint?: string | undefined;
  load(): Promise<unknown>;
  /** Whether what was loaded is that SDK: a package of the same name may be another thing. */
  is(module: unknown): module is Module;
}

/**
 * Loads a cloud's SDK at its first use: nobody pays for one that is not used.
 * @throws `unavailable` when the package is missing or is not the SDK, with the command that installs it.
 */
export async function loadSdk<Module>(sdk: SdkPackage<Module>): Promise<Module> {
  let module: unknown;
  try {
    module = await sdk.load();
  } catch (cause) {
    throw problem(sdk, `the package ${sdk.name} cannot be loaded`, cause);
  }
  if (sdk.is(module)) return module;
  const hint = sdk.hint === undefined ? '' : `. ${sdk.hint}`;
  throw problem(sdk, `the package ${sdk.name} that is installed is not the SDK of ${sdk.backend} ${sdk.version}${hint}`, undefined);
}

function problem({ backend, name, version }: SdkPackage<unknown>, message: string, cause: unknown): PetasosError {
  return new PetasosError('unavailable', `${backend}: ${message}`, {
    backend,
    operation: 'load',
    data: { package: name, version },
    remedy: `Install it beside Petasos: npm install ${name}@${version}`,
    cause,
  });
}
