import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { LedgerEntry, RuleImport } from '@petasos/core';
import { defineCommand, defineGroup, jsonOption } from '../args/command.js';
import type { Context } from '../session/context.js';
import { loadUserRules, rulesDirectory } from '../session/rules.js';
import { CliError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { formatAge } from '../ui/format.js';
import { writeJson } from '../ui/json.js';
import { table } from '../ui/table.js';
import { oneLine } from '../ui/text.js';

const shownIdLength = 12;

const ls = defineCommand({
  name: 'ls',
  summary: 'List what was allowed for always, the rules, and sandboxes where nothing risky runs any more',
  usage: '[options]',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [{ line: 'petasos approvals ls', does: 'everything that decides about commands, besides Petasos itself' }],
  async run(context) {
    const { openApprovalState } = await import('@petasos/core/approvals');
    const state = openApprovalState(context.paths.stateDirectory);
    const [entries, breakers, rules] = await Promise.all([state.ledger.list(), state.breaker.list(), loadUserRules(context)]);
    const opened = breakers.filter((breaker) => breaker.open);
    if (context.json) {
      writeJson(context, {
        approvals: entries.map(({ id, by, at, subject }) => ({ id, by, at, ...subject })),
        rules: rules.flatMap((set) => set.rules),
        breakers: opened,
      });
      return exitStatus.ok;
    }
    if (entries.length === 0) context.stderr.write('Nothing was allowed for always.\n');
    else context.stdout.write(entriesTable(context, entries));
    const count = rules.reduce((sum, set) => sum + set.rules.length, 0);
    if (count > 0) context.stderr.write(`${count} ${count === 1 ? 'rule' : 'rules'} in ${context.paths.configDirectory}.\n`);
    for (const { scope, denials } of opened) {
      context.stderr.write(
        `${scope}: after ${denials.length} denials in a row nothing that would be asked runs. petasos approvals reset\n`,
      );
    }
    return exitStatus.ok;
  },
});

function entriesTable(context: Context, entries: readonly LedgerEntry[]): string {
  const style = context.style(context.stdout);
  const rows = entries.map(({ id, by, at, subject }) => [
    id.slice(0, shownIdLength),
    `${subject.place.backend}/${subject.place.sandbox}`,
    oneLine(by),
    formatAge(Date.now() - at.getTime()),
    oneLine(subject.cwd),
    oneLine(subject.argv.join(' ')),
  ]);
  return table([['ID', 'PLACE', 'BY', 'AGE', 'DIRECTORY', 'COMMAND'].map((title) => style.dim(title)), ...rows]);
}

const revoke = defineCommand({
  name: 'revoke',
  summary: 'Take back what was allowed for always',
  usage: 'ID…',
  options: { json: jsonOption },
  words: [1, Number.POSITIVE_INFINITY],
  examples: [{ line: 'petasos approvals revoke 3f2a9c01b7de', does: 'by the id that petasos approvals ls shows, or its beginning' }],
  async run(context, _values, ids) {
    const { openApprovalState } = await import('@petasos/core/approvals');
    const { ledger } = openApprovalState(context.paths.stateDirectory);
    const missing: string[] = [];
    for (const id of ids) if (!(await ledger.revoke(id))) missing.push(id);
    if (missing.length > 0) {
      throw new CliError(`there is no approval ${missing.join(', ')}`, {
        code: 'approval-not-found',
        remedy: 'petasos approvals ls shows their ids.',
      });
    }
    if (context.json) writeJson(context, { revoked: ids });
    else context.stderr.write(`Revoked ${ids.length}. They are asked again.\n`);
    return exitStatus.ok;
  },
});

const importCommand = defineCommand({
  name: 'import',
  summary: 'Take over the command lists of another tool as rules',
  usage: '[options] FILE',
  details:
    'FILE is a settings file with lists like Bash(npm run test:*), or a file of prefix_rule(…) calls.\n' +
    'What cannot be honoured safely is refused by name. The rules are written to a file of their own.',
  options: {
    'dry-run': { type: 'boolean', help: 'write nothing, print the rules' },
    force: { type: 'boolean', help: 'replace what was imported from a file of this name before' },
    json: jsonOption,
  },
  words: [1, 1],
  examples: [{ line: 'petasos approvals import --dry-run .claude/settings.json', does: 'see what would be imported' }],
  async run(context, values, [file = '']) {
    const { formatRules, importRules, judge } = await import('@petasos/core/approvals');
    const imported = await importRules(await text(file), file, { judge });
    const yaml = `# imported from ${oneLine(file)}\n${imported.rules.length === 0 ? '' : await formatRules(imported.rules)}`;
    const target = join(rulesDirectory(context.paths), `${basename(file, extname(file)).replace(/^\.+/, '') || 'imported'}.yaml`);
    const write = !values['dry-run'] && imported.rules.length > 0;
    if (write) await store(context, target, yaml, values.force);
    if (context.json) writeJson(context, { ...imported, ...(write ? { file: target } : {}) });
    else {
      if (values['dry-run']) context.stdout.write(yaml);
      tell(context, imported, write ? target : undefined);
    }
    return imported.refused.length > 0 && imported.rules.length === 0 ? exitStatus.failed : exitStatus.ok;
  },
});

async function text(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new CliError(`${file} cannot be read (${cause instanceof Error ? cause.message : String(cause)})`, {
      status: exitStatus.usage,
      code: 'usage',
      cause,
    });
  }
}

async function store(context: Context, target: string, yaml: string, force: boolean): Promise<void> {
  await mkdir(rulesDirectory(context.paths), { recursive: true, mode: 0o700 });
  try {
    await writeFile(target, yaml, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
    throw new CliError(`${target} is there already`, { code: 'file-exists', remedy: 'Look at it; --force replaces it.' });
  }
}

function tell(context: Context, { rules, refused, warnings }: RuleImport, target: string | undefined): void {
  for (const warning of warnings) context.stderr.write(`note: ${oneLine(warning)}\n`);
  for (const one of refused) context.stderr.write(`refused: ${oneLine(`${one.written} (${one.origin}): ${one.why}`)}\n`);
  const count = `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`;
  context.stderr.write(target === undefined ? `${count} can be imported.\n` : `Imported ${count} into ${target}.\n`);
}

const reset = defineCommand({
  name: 'reset',
  summary: 'Let risky commands be asked again after three denials in a row, and sudo be used after failed passwords',
  usage: '[options]',
  options: { json: jsonOption },
  words: [0, 0],
  examples: [{ line: 'petasos audit --denied --since 1h && petasos approvals reset', does: 'look at what was tried, then go on' }],
  async run(context) {
    const { openApprovalState } = await import('@petasos/core/approvals');
    const { breaker, sudoGuard } = openApprovalState(context.paths.stateDirectory);
    const states = await breaker.list();
    await breaker.reset();
    await sudoGuard.reset();
    if (context.json) writeJson(context, { reset: states });
    else if (states.length === 0) context.stderr.write('There was nothing to reset.\n');
    else for (const { scope, denials } of states) context.stderr.write(`Reset ${scope} (${denials.length} denied).\n`);
    return exitStatus.ok;
  },
});

export default defineGroup({
  name: 'approvals',
  summary: 'See and change what is allowed',
  commands: [ls, revoke, importCommand, reset],
  examples: [{ line: 'petasos approvals ls', does: 'what was allowed for always' }],
});
