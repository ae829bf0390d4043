import type { CheckFinding, OptionField } from '@petasos/core';
import { type Config, loadConfig, type Setting } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { keyEntry, optionKey, vocabulary } from '../config/vocabulary.js';
import { askIsolated } from '../plugins/isolated.js';
import type { BackendNeeds } from '../plugins/isolated-protocol.js';
import type { BackendPackage } from '../plugins/manifest.js';
import type { Context } from '../session/context.js';
import { askChoice, askSecret, confirm } from '../ui/ask.js';
import { checkReport } from '../ui/check-report.js';
import { CliError } from '../ui/errors.js';
import { inPlace } from '../ui/report-error.js';
import { oneLine } from '../ui/text.js';
import { widthOf } from '../ui/width.js';
import { askField, isAskable } from './ask-field.js';

/** What a person answered; nothing of it is written yet. */
export interface SetupAnswers {
  /** Values by configuration key. */
  readonly settings: ReadonlyMap<string, unknown>;
  /** Values of credentials by variable. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** Asks what one backend needs, and goes on asking until its own check is content or the person is. */
export class SetupWizard {
  readonly #settings = new Map<string, unknown>();
  readonly #secrets = new Map<string, string>();

  constructor(
    private readonly context: Context,
    private readonly config: Config,
    private readonly backend: BackendPackage,
  ) {}

  async ask(): Promise<SetupAnswers> {
    const needs = await this.#needs();
    for (const field of needs.options.filter(({ required }) => required)) await this.#askField(field);
    await this.#askFurther(needs.options);
    let findings = await this.#check();
    if (failed(findings) && (await this.#askSecrets(needs.secrets))) findings = await this.#check();
    while (failed(findings)) {
      const next = await askChoice(this.context, 'The check failed. What now?', [
        { value: 'again', label: 'Check again', hint: 'after you did what it says' },
        { value: 'options', label: 'Change options' },
        { value: 'keep', label: 'Keep it as it is' },
        { value: 'stop', label: 'Stop', hint: 'nothing is changed' },
      ]);
      if (next === 'stop') throw new CliError('stopped; nothing was changed', { code: 'cancelled' });
      if (next === 'keep') break;
      if (next === 'options') await this.#chooseFields(needs.options);
      findings = await this.#check();
    }
    return { settings: this.#settings, secrets: this.#secrets };
  }

  async #needs(): Promise<BackendNeeds> {
    const answer = await askIsolated(this.backend, 'needs', {}, this.config.hostEnv);
    if (answer.ok) return answer.value;
    throw new CliError(inPlace(this.backend.name, answer.message), { code: 'backend-unusable', remedy: answer.remedy });
  }

  async #askFurther(fields: readonly OptionField[]): Promise<void> {
    if (!fields.some((field) => !field.required && isAskable(field))) return;
    if (await confirm(this.context, 'Change other options? The defaults work.', false)) await this.#chooseFields(fields);
  }

  async #chooseFields(fields: readonly OptionField[]): Promise<void> {
    for (;;) {
      const known = fields.filter(isAskable);
      const name = await askChoice(this.context, 'Which one?', [
        { value: '', label: 'None: go on' },
        ...known.map((field) => ({ value: field.name, label: field.name, hint: this.#hint(field) })),
      ]);
      const field = known.find((candidate) => candidate.name === name);
      if (field === undefined) return;
      await this.#askField(field);
    }
  }

  async #askField(field: OptionField): Promise<void> {
    const key = optionKey(this.backend.name, field.name);
    const now = this.#settings.get(key) ?? this.#current().options[field.name];
    const answer = await askField(this.context, { field, key, now, help: this.#help(field) });
    if (answer === undefined) this.#settings.delete(key);
    else this.#settings.set(key, answer);
  }

  #help(field: OptionField): string | undefined {
    return field.description ?? keyEntry(optionKey(this.backend.name, field.name))?.help;
  }

  #hint(field: OptionField): string | undefined {
    const now = this.#current().options[field.name];
    const help = this.#help(field);
    return [help && oneLine(help), now === undefined ? undefined : `now ${oneLine(String(now))}`].filter(Boolean).join('; ') || undefined;
  }

  /** @returns whether any was given */
  async #askSecrets(names: readonly string[]): Promise<boolean> {
    const open = names.filter((name) => typed(name) && (this.config.hostEnv[name] ?? '') === '');
    for (const name of open) {
      const value = await askSecret(this.context, `${name} (not shown; Enter leaves it out)`);
      if (value !== '') this.#secrets.set(name, value);
    }
    return this.#secrets.size > 0;
  }

  #current() {
    return sessionSettings(this.withAnswers(), this.backend.name);
  }

  async #check(): Promise<readonly CheckFinding[]> {
    const config = this.withAnswers();
    const { options } = sessionSettings(config, this.backend.name);
    const answer = await askIsolated(this.backend, 'check', options, config.hostEnv);
    const findings: readonly CheckFinding[] = answer.ok
      ? answer.value
      : [{ id: 'check', status: 'failed', message: answer.message, remedy: answer.remedy }];
    const { stderr } = this.context;
    const report = checkReport({ backend: this.backend.name, configured: false, findings }, this.context.style(stderr), widthOf(stderr));
    stderr.write(`\n${report}\n`);
    return findings;
  }

  /** The configuration as it will be once the answers are written. */
  withAnswers(): Config {
    const given = new Map<string, Setting>(
      [...this.#settings].map(([key, value]) => [key, { key, value, layer: 'user', where: 'your answer' }]),
    );
    const get = (key: string) => given.get(key) ?? this.config.get(key);
    const settings = [...this.config.settings.filter(({ key }) => !given.has(key)), ...given.values()];
    return { ...this.config, settings, hostEnv: { ...Object.fromEntries(this.#secrets), ...this.config.hostEnv }, get };
  }
}

/** Not what another program sets (the socket of an agent), and not what is a setting of its own. */
function typed(name: string): boolean {
  return !name.endsWith('_SOCK') && !vocabulary.some(({ variable }) => variable === name);
}

function failed(findings: readonly CheckFinding[]): boolean {
  return findings.some(({ status }) => status === 'failed');
}

/** Writes what was answered: secrets first, so that a configuration never names what is not there. */
export async function writeAnswers(context: Context, backend: string, { settings, secrets }: SetupAnswers): Promise<readonly string[]> {
  const { editConfig, setValue } = await import('../config/edit.js');
  if (secrets.size > 0) {
    const { editEnvFile } = await import('../config/env-edit.js');
    await editEnvFile(context.paths.envFile, Object.fromEntries(secrets));
  }
  for (const [key, value] of settings) await editConfig(context.paths.configFile, setValue(key, value));
  await editConfig(context.paths.configFile, setValue('sandbox', backend));
  const holds = (await loadConfig(context)).get('sandbox');
  return holds === undefined || holds.value === backend ? [] : [`${holds.where} is stronger: sandbox is ${String(holds.value)}`];
}
