import { type ClientTask, runClient } from '@petasos/core/conformance';
import { loadBackend } from './plugins/load.js';

/** What the other process of a conformance run needs to know. */
export interface ClientSubject {
  readonly name: string;
  readonly packageName: string;
  readonly entry: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly task: ClientTask;
}

const { PETASOS_CONFORMANCE_CLIENT: text, ...hostEnv } = process.env;
if (text === undefined) throw new Error('this module is started by petasos conformance');
const subject = JSON.parse(text) as ClientSubject;
delete process.env.PETASOS_CONFORMANCE_CLIENT;
await runClient({ backend: await loadBackend(subject), options: subject.options, hostEnv }, subject.task);
