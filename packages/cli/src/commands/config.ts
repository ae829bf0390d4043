import { defineCommand, defineGroup, jsonOption } from '../args/command.js';
import { canonicalKey, loadConfig, projectFile, type Setting } from '../config/config.js';
import { parseSettingValue, requireKey } from '../config/key-value.js';
import { vocabulary } from '../config/vocabulary.js';
import { discoverBackends } from '../plugins/discover.js';
import { notInstalled } from '../plugins/find.js';
import { knownBackends } from '../plugins/names.js';
import type { Context } from '../session/context.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { describeError } from '../ui/report-error.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

const get = defineCommand({
  name: 'get',
  summary: 'Print the value that holds for a key',
  usage: '[options] KEY',
  details: 'It ends with 1 and prints nothing when the key has no value.',
  options: { json: jsonOption, origin: { type: 'boolean', help: 'say where the value comes from' } },
  words: [1, 1],
  examples: [{ line: 'petasos config get sandbox', does: 'which place is configured' }],
  async run(context, values, [key = '']) {
    requireKey(key);
    const setting = (await loadConfig(context)).get(key);
    if (context.json) writeJson(context, setting === undefined ? null : shown(setting));
    else if (setting !== undefined) context.stdout.write(`${valueText(setting)}${values.origin ? `  (${setting.where})` : ''}\n`);
    return setting === undefined ? exitStatus.failed : exitStatus.ok;
  },
});

const set = defineCommand({
  name: 'set',
  summary: "Write a value into the user's file",
  usage: 'KEY VALUE…',
  details: 'Comments in the file are kept. A list takes several values, a map takes NAME=value pairs.',
  options: {},
  words: [2, Number.POSITIVE_INFINITY],
  wordsEndOptions: true,
  examples: [
    { line: 'petasos config set sandbox docker', does: 'run commands in containers from now on' },
    { line: 'petasos config set terminal.env_passthrough CI GITHUB_ACTIONS', does: 'forward two variables' },
    { line: 'petasos config set options.acme.region eu', does: 'an option that a backend defines itself' },
  ],
  async run(context, _values, [key = '', ...texts]) {
    const entry = requireKey(key);
    const value = parseSettingValue(key, entry, texts);
    if (canonicalKey(key) === 'sandbox') await checkBackendName(context, String(value));
    const { editConfig, setValue } = await import('../config/edit.js');
    await editConfig(context.paths.configFile, setValue(key, value));
    if (entry?.effect.kind === 'none') context.stderr.write(`note: ${key} has no effect: ${entry.effect.why}\n`);
    const holds = (await loadConfig(context)).get(key);
    if (holds !== undefined && holds.layer !== 'user')
      context.stderr.write(`note: ${holds.where} is stronger: ${key} is ${valueText(holds)}\n`);
    return exitStatus.ok;
  },
});

const unset = defineCommand({
  name: 'unset',
  summary: "Take a key out of the user's file",
  usage: 'KEY',
  options: {},
  words: [1, 1],
  examples: [{ line: 'petasos config unset terminal.timeout', does: 'go back to the default' }],
  async run(context, _values, [key = '']) {
    requireKey(key);
    const { editConfig, unsetValue } = await import('../config/edit.js');
    const changed = await editConfig(context.paths.configFile, unsetValue(key));
    if (!changed) context.stderr.write(`note: ${key} was not set in ${context.paths.configFile}\n`);
    return exitStatus.ok;
  },
});

const list = defineCommand({
  name: 'list',
  summary: 'Print every setting that has a value',
  usage: '[options]',
  options: {
    json: jsonOption,
    origin: { type: 'boolean', help: 'say where each value comes from' },
    all: { type: 'boolean', help: 'also keys without a value, with what they do' },
  },
  words: [0, 0],
  examples: [
    { line: 'petasos config list --origin', does: 'what holds, and why' },
    { line: 'petasos config list --all', does: 'every key there is' },
  ],
  async run(context, values) {
    const config = await loadConfig(context);
    const skipped = await projectFile(context.cwd);
    const notices = [
      ...config.notices,
      ...(skipped === undefined ? [] : [`${skipped} is not read: a project's file has no say until the project is trusted`]),
    ];
    if (context.json) {
      writeJson(context, { settings: config.settings.map(shown), notices });
      return exitStatus.ok;
    }
    const style = context.style(context.stdout);
    const rows = config.settings.map((setting) => [
      style.bold(setting.key),
      valueText(setting),
      ...(values.origin ? [style.dim(setting.where)] : []),
    ]);
    const unused = vocabulary.filter(({ key }) => key !== 'terminal.backend' && config.get(key) === undefined);
    if (values.all) rows.push(...unused.map(({ key, help }) => [style.dim(key), style.dim(`(${help})`)]));
    context.stdout.write(table(rows));
    for (const notice of notices) context.stderr.write(`note: ${notice}\n`);
    return exitStatus.ok;
  },
});

const path = defineCommand({
  name: 'path',
  summary: "Print where the user's file is",
  usage: '',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [{ line: '"$EDITOR" "$(petasos config path)"', does: 'edit it by hand' }],
  async run(context) {
    if (context.json) writeJson(context, { path: context.paths.configFile });
    else context.stdout.write(`${context.paths.configFile}\n`);
    return exitStatus.ok;
  },
});

export default defineGroup({
  name: 'config',
  summary: 'Show and change the configuration',
  commands: [get, set, unset, list, path],
  examples: [
    { line: 'petasos config set sandbox docker', does: 'choose the place' },
    { line: 'petasos config list --origin', does: 'see every setting and where it comes from' },
  ],
});

function shown({ key, value, layer, where, problem }: Setting): object {
  return { key, value, layer, where, ...(problem === undefined ? {} : { problem }) };
}

function valueText({ value, problem }: Setting): string {
  if (problem !== undefined) return `(${problem})`;
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
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
