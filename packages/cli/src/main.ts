import { keepCompiledCode } from './compile-cache.js';

/** Put in by the build. */
declare const PETASOS_VERSION: string;

keepCompiledCode(process.env);
// Imported only now, so that its code is looked for among what was kept.
const { dispatch } = await import('./dispatch.js');
await dispatch(process.argv.slice(2), PETASOS_VERSION);
