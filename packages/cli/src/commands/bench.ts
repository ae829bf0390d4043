import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defineCommand, jsonOption } from '../args/command.js';
import { barsSvg, barsText } from '../bench/chart.js';
import { measurePlace } from '../bench/measure.js';
import { openSandbox, resolveTarget } from '../session/open-sandbox.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { showProgress } from '../ui/progress.js';
import { widthOf } from '../ui/width.js';

export default defineCommand({
  name: 'bench',
  summary: 'Measure how fast a place is',
  usage: '[options] [BACKEND]',
  details:
    'A new sandbox is opened, measured and destroyed: how long it takes to open, a command in it, what output and files move in a second.\n' +
    'It takes about half a minute, and costs what half a minute of the place costs.',
  options: {
    svg: { type: 'string', value: 'FILE', help: 'write the chart of latencies as SVG' },
    json: jsonOption,
  },
  words: [0, 1],
  examples: [
    { line: 'petasos bench', does: 'the configured place' },
    { line: 'petasos bench docker --svg docker.svg', does: 'another one, with a chart' },
  ],
  async run(context, values, [named]) {
    const target = await resolveTarget(context, named);
    const progress = showProgress(context);
    const started = performance.now();
    const sandbox = await openSandbox(context, target, { name: undefined });
    try {
      const openMs = performance.now() - started;
      const measured = await measurePlace(sandbox, (step) => progress.report({ step })).finally(() => progress.end());
      const { machine } = await sandbox.placement();
      const report = { backend: sandbox.backend, machine: machine.name, openMs, ...measured };
      const title = `${report.backend} on ${report.machine}: milliseconds a command`;
      const bars = [
        { name: 'first command', value: measured.firstCommandMs },
        { name: 'warm, median', value: measured.warmMedianMs },
        { name: 'warm, 95 %', value: measured.warmP95Ms },
        { name: 'in a shell', value: measured.shellMedianMs },
      ];
      if (values.svg !== undefined) await writeFile(resolve(context.cwd, values.svg), barsSvg(title, bars, 'ms'));
      if (context.json) writeJson(context, report);
      else {
        const columns = widthOf(context.stdout) ?? 80;
        context.stdout.write(
          `${context.style(context.stdout).bold(title)}\n${barsText(bars, 'ms', columns)}\n` +
            `opened in ${openMs.toFixed(0)} ms; output ${measured.outputMiBPerSecond.toFixed(0)} MiB/s; ` +
            `file in ${measured.writeMiBPerSecond.toFixed(0)} MiB/s, out ${measured.readMiBPerSecond.toFixed(0)} MiB/s\n`,
        );
      }
      return exitStatus.ok;
    } finally {
      await sandbox.destroy();
    }
  },
});
