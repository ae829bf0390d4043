import { defineCommand, defineGroup, jsonOption } from '../../args/command.js';
import { loadConfig, type Setting } from '../../config/config.js';
import { isSecretName, requireKey } from '../../config/key-value.js';
import { vocabulary } from '../../config/vocabulary.js';
import { exitStatus } from '../../ui/exit-status.js';
import { writeJson } from '../../ui/json.js';
import { table } from '../../ui/table.js';
import { widthOf } from '../../ui/width.js';
import edit from './edit.js';
import importHermes from './import.js';
import set from './set.js';
import { valueText } from './value-text.js';

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

const unset = defineCommand({
  name: 'unset',
  summary: "Take a key out of the user's file",
  usage: 'KEY',
  options: {},
  words: [1, 1],
  examples: [{ line: 'petasos config unset terminal.timeout', does: 'go back to the default' }],
  async run(context, _values, [key = '']) {
    if (isSecretName(key)) {
      const { editEnvFile } = await import('../../config/env-edit.js');
      await editEnvFile(context.paths.envFile, { [key]: undefined });
      return exitStatus.ok;
    }
    requireKey(key);
    const { editConfig, unsetValue } = await import('../../config/edit.js');
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
    const { notices } = config;
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
    if (values.all) rows.push(...unused.map(({ key, help }) => [style.dim(key), `(${help})`]));
    // A value alone stays in one piece, to be taken from here.
    context.stdout.write(table(rows, values.all ? widthOf(context.stdout) : undefined));
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
  commands: [get, set, unset, list, edit, path, importHermes],
  examples: [
    { line: 'petasos config set sandbox docker', does: 'choose the place' },
    { line: 'petasos config list --origin', does: 'see every setting and where it comes from' },
  ],
});

function shown({ key, value, layer, where, problem }: Setting): object {
  return { key, value, layer, where, ...(problem === undefined ? {} : { problem }) };
}
