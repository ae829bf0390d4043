import type { CheckFinding } from '@petasos/core';
import { defineCommand, jsonOption } from '../args/command.js';
import { type Config, loadConfig } from '../config/config.js';
import { sessionSettings } from '../config/settings.js';
import { discoverBackends } from '../plugins/discover.js';
import { findBackend, notInstalled } from '../plugins/find.js';
import { askIsolated } from '../plugins/isolated.js';
import type { BackendPackage } from '../plugins/manifest.js';
import { originTitles } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { checkReport } from '../ui/check-report.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { describeError } from '../ui/report-error.js';
import { widthOf } from '../ui/width.js';

interface Report {
  readonly backend: string;
  readonly configured: boolean;
  readonly findings: readonly CheckFinding[];
}

export default defineCommand({
  name: 'doctor',
  summary: 'Check that the places work, and say what to do where they do not',
  usage: '[BACKEND]',
  details: 'Without a name it checks every installed backend. It ends with 1 when the configured or named one fails.',
  options: { json: jsonOption },
  words: [0, 1],
  examples: [
    { line: 'petasos doctor', does: 'every installed backend' },
    { line: 'petasos doctor docker', does: 'one of them' },
  ],
  async run(context, _values, [named]) {
    const config = await loadConfig(context);
    const configured = named ?? String(config.get('sandbox')?.value);
    const reports = await (named === undefined ? everyBackend(context, config, configured) : oneBackend(context, config, named));
    const { notices } = config;
    if (context.json) writeJson(context, { configured, backends: reports, notices });
    else {
      const { stdout } = context;
      stdout.write(reports.map((report) => checkReport(report, context.style(stdout), widthOf(stdout))).join('\n'));
      for (const notice of notices) context.stderr.write(`note: ${notice}\n`);
    }
    const failed = reports.some(({ configured: counts, findings }) => counts && findings.some(({ status }) => status === 'failed'));
    return failed ? exitStatus.failed : exitStatus.ok;
  },
});

async function oneBackend(context: Context, config: Config, name: string): Promise<readonly Report[]> {
  return [await checkBackend(config, await findBackend(context, config, name), true)];
}

async function everyBackend(context: Context, config: Config, configured: string): Promise<readonly Report[]> {
  const { backends, problems } = await discoverBackends(context, config);
  const reports = await Promise.all(backends.map((backend) => checkBackend(config, backend, backend.name === configured)));
  const unusable = problems.map((problem): Report => {
    const message = `${problem.packageName} (${originTitles[problem.origin]}) cannot be used: ${problem.reason}`;
    const findings: CheckFinding[] = [{ id: 'plugin', status: 'failed', message, remedy: problem.remedy }];
    // A second package that claims the name of a working backend does not make that one fail.
    const counts = problem.name === configured && !backends.some(({ name }) => name === configured);
    return { backend: problem.name ?? problem.packageName, configured: counts, findings };
  });
  const all = [...reports, ...unusable];
  if (all.some((report) => report.configured)) return all;
  const { message, remedy } = describeError(await notInstalled(context, config, configured));
  return [{ backend: configured, configured: true, findings: [{ id: 'installed', status: 'failed', message, remedy }] }, ...all];
}

async function checkBackend(config: Config, backend: BackendPackage, configured: boolean): Promise<Report> {
  const report = (findings: readonly CheckFinding[]): Report => ({ backend: backend.name, configured, findings });
  const failed = (id: string, message: string, remedy: string | undefined) => report([{ id, status: 'failed', message, remedy }]);
  let options: Readonly<Record<string, unknown>>;
  try {
    options = sessionSettings(config, backend.name).options;
  } catch (error) {
    const { message, remedy } = describeError(error);
    return failed('configuration', message, remedy);
  }
  const answer = await askIsolated(backend, 'check', options, config.hostEnv);
  return answer.ok ? report(answer.value) : failed('check', answer.message, answer.remedy);
}
