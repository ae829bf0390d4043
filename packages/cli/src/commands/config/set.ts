import { text as readAll } from 'node:stream/consumers';
import { defineCommand } from '../../args/command.js';
import { canonicalKey, loadConfig } from '../../config/config.js';
import { isSecretName, parseSettingValue, requireKey } from '../../config/key-value.js';
import { discoverBackends } from '../../plugins/discover.js';
import { notInstalled } from '../../plugins/find.js';
import { knownBackends } from '../../plugins/names.js';
import type { Context } from '../../session/context.js';
import { stdinHasInput } from '../../session/stdin.js';
import { askSecret, canAsk } from '../../ui/ask.js';
import { UsageError } from '../../ui/errors.js';
import { exitStatus } from '../../ui/exit-status.js';
import { describeError } from '../../ui/report-error.js';
import { valueText } from './value-text.js';

export default defineCommand({
  name: 'set',
  summary: "Write a value into the user's file",
  usage: 'KEY VALUE…',
  details:
    'Comments in the file are kept. A list takes several values, a map takes NAME=value pairs.\n' +
    'A secret is written NAME alone: it is asked for without being shown, or read from stdin, and goes to the file .env beside the\n' +
    'configuration, which only you can read.',
  options: {},
  words: [1, Number.POSITIVE_INFINITY],
  wordsEndOptions: true,
  examples: [
    { line: 'petasos config set sandbox docker', does: 'run commands in containers from now on' },
    { line: 'petasos config set terminal.env_passthrough CI GITHUB_ACTIONS', does: 'forward two variables' },
    { line: 'petasos config set options.acme.region eu', does: 'an option that a backend defines itself' },
    { line: 'pass show acme | petasos config set ACME_API_KEY', does: 'a secret' },
  ],
  async run(context, _values, [key = '', ...texts]) {
    if (isSecretName(key)) return setSecret(context, key, texts);
    const entry = requireKey(key);
    if (texts.length === 0) throw new UsageError('config set: something is missing', 'Usage: petasos config set KEY VALUE…');
    const value = parseSettingValue(key, entry, texts);
    if (canonicalKey(key) === 'sandbox') await checkBackendName(context, String(value));
    const { editConfig, setValue } = await import('../../config/edit.js');
    await editConfig(context.paths.configFile, setValue(key, value));
    if (entry?.effect.kind === 'none') context.stderr.write(`note: ${key} has no effect: ${entry.effect.why}\n`);
    const holds = (await loadConfig(context)).get(key);
    if (holds !== undefined && holds.layer !== 'user')
      context.stderr.write(`note: ${holds.where} is stronger: ${key} is ${valueText(holds)}\n`);
    return exitStatus.ok;
  },
});

/** Arguments can be seen by every user of the machine, and stay in the history of the shell. */
async function setSecret(context: Context, name: string, texts: readonly string[]): Promise<number> {
  if (texts.length > 0)
    throw new UsageError(
      `${name} is a secret, and an argument is seen by others`,
      `Write petasos config set ${name} alone: it asks, or reads stdin.`,
    );
  const value = canAsk(context)
    ? await askSecret(context, name)
    : stdinHasInput()
      ? (await readAll(context.stdin)).replace(/\r?\n$/, '')
      : '';
  if (value === '') throw new UsageError(`${name}: no value was given`, 'Give it on stdin, or on a terminal.');
  const { editEnvFile } = await import('../../config/env-edit.js');
  await editEnvFile(context.paths.envFile, { [name]: value });
  context.stderr.write(`${name} is kept in ${context.paths.envFile}.\n`);
  if ((context.env[name] ?? '') !== '') context.stderr.write(`note: the variable ${name} is set in the environment, and is stronger\n`);
  return exitStatus.ok;
}

/** A place that is not installed yet may be configured, since both orders make sense; a name that nobody knows may not. */
async function checkBackendName(context: Context, name: string): Promise<void> {
  const config = await loadConfig(context);
  const { backends } = await discoverBackends(context, config);
  if (backends.some((backend) => backend.name === name)) return;
  const error = await notInstalled(context, config, name);
  if (!Object.hasOwn(knownBackends, name)) throw error;
  const { message, remedy } = describeError(error);
  context.stderr.write(`note: ${message}. ${remedy ?? ''}\n`);
}
