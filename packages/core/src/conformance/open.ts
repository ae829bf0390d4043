import { type Backend, type Capabilities, capabilitiesOf } from '../contract/index.js';
import { open } from '../sandbox/index.js';
import type { OpenOptions, Sandbox } from '../sandbox/types.js';
import { passThrough, type Subject } from './subject.js';

/** Opens as the subject wants it, with its own options and environment and nobody to ask. */
export function openFor(subject: Subject, options: Omit<OpenOptions, 'options' | 'gate'>): Promise<Sandbox> {
  return (subject.open ?? open)(subject.backend, {
    ...options,
    options: subject.options,
    hostEnv: { ...(subject.hostEnv ?? process.env), ...options.hostEnv },
    gate: passThrough,
  });
}

/** The backend's view of its options, and what it can do under them. */
export async function describeSubject(subject: Subject): Promise<{ readonly options: unknown; readonly capabilities: Capabilities }> {
  const backend: Backend = subject.backend;
  const checked = await backend.options['~standard'].validate(subject.options ?? {});
  if (checked.issues)
    throw new TypeError(`the subject's options are not valid: ${checked.issues.map((issue) => issue.message).join('; ')}`);
  return { options: checked.value, capabilities: capabilitiesOf(backend, checked.value) };
}
