import { runClient } from '@petasos/core/conformance';

/** The other client of a scenario: opens what the task names, does its steps, says what happened. */
const [module = ''] = process.argv.slice(2);
const { subject } = (await import(module)) as { subject: Parameters<typeof runClient>[0] };
const task = JSON.parse(process.env.PETASOS_CLIENT_TASK ?? 'null') as Parameters<typeof runClient>[1];
delete process.env.PETASOS_CLIENT_TASK;
await runClient(subject, task);
