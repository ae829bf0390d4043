import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { ScenarioStatus } from '@petasos/core/conformance';
import { defineCommand } from '../args/command.js';
import { loadConfig } from '../config/config.js';
import { configError } from '../config/config-error.js';
import { sessionSettings } from '../config/settings.js';
import type { ClientSubject } from '../conformance-client.js';
import { loadBackend } from '../plugins/load.js';
import { locateBackend } from '../plugins/locate.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { showProgress } from '../ui/progress.js';

export default defineCommand({
  name: 'conformance',
  summary: 'Prove that a backend keeps the contract',
  usage: '[options] BACKEND|PACKAGE|DIRECTORY',
  details:
    'It opens sandboxes of the backend and runs every scenario that its capabilities promise; none can be skipped.\n' +
    'It ends with 1 when one fails.',
  options: {
    options: { type: 'string', value: 'FILE', help: "the backend's options, as YAML or JSON; default: the configured ones" },
    json: { type: 'boolean', help: 'print the report as JSON' },
    markdown: { type: 'boolean', help: 'print the report as Markdown' },
    badge: { type: 'string', value: 'FILE', help: 'write a badge (SVG)' },
  },
  words: [1, 1],
  examples: [
    { line: 'petasos conformance local', does: 'a backend that is installed' },
    { line: 'petasos conformance ./my-backend --options options.yaml', does: 'one that you are writing' },
  ],
  async run(context, values, [word = '']) {
    if (context.json && values.markdown) throw new UsageError('--json and --markdown cannot go together');
    const config = await loadConfig(context);
    const found = await locateBackend(context, config, word);
    const backend = await loadBackend(found);
    const options = values.options === undefined ? sessionSettings(config, found.name).options : await readOptions(values.options);
    const { badgeSvg, formatJson, formatMarkdown, formatText, runConformance } = await import('@petasos/core/conformance');
    const progress = showProgress(context);
    const counts = new Map<ScenarioStatus, number>();
    const report = await runConformance(
      {
        backend,
        options,
        hostEnv: config.hostEnv,
        spawnClient: (task) => {
          const subject: ClientSubject = { name: found.name, packageName: found.packageName, entry: found.entry, options, task };
          // Options may hold what must not stand in an argument list; stdin and stdout belong to the suite.
          const env = { ...config.hostEnv, PETASOS_CONFORMANCE_CLIENT: JSON.stringify(subject) };
          return spawn(process.execPath, [fileURLToPath(new URL('./conformance-client.js', import.meta.url))], {
            env,
            stdio: ['pipe', 'pipe', 'inherit'],
          });
        },
      },
      {
        onResult: ({ id, concern, status }) => {
          counts.set(status, (counts.get(status) ?? 0) + 1);
          // A run takes minutes in some places: a person wants to see that it goes on.
          if (context.stderr.isTTY) progress.report({ step: `${found.name}: ${countsText(counts)}`, detail: id });
          else progress.report({ step: `${found.name}: ${concern}` });
        },
      },
    ).finally(() => progress.end());
    if (values.badge !== undefined) await writeFile(values.badge, badgeSvg(report));
    context.stdout.write(context.json ? formatJson(report) : values.markdown ? formatMarkdown(report) : formatText(report));
    return report.failed === 0 ? exitStatus.ok : exitStatus.failed;
  },
});

function countsText(counts: ReadonlyMap<ScenarioStatus, number>): string {
  return `${counts.get('passed') ?? 0} passed, ${counts.get('failed') ?? 0} failed, ${counts.get('not-declared') ?? 0} not declared`;
}

async function readOptions(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parseYaml, readText } = await import('../config/yaml-text.js');
  const text = await readText(path);
  if (text === undefined) throw new CliError(`--options: there is no file ${path}`, { status: exitStatus.usage, code: 'usage' });
  const value: unknown = parseYaml(path, text).document.toJS();
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw configError(`${path}:1: must be a map of option names to values`);
  return value as Record<string, unknown>;
}
