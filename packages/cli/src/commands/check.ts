import type { CommandCheck, Sandbox } from '@petasos/core';
import { defineCommand, jsonOption, nameOption } from '../args/command.js';
import { commandText } from '../args/command-text.js';
import { approvalSettings } from '../session/gate.js';
import { defaultName, openSandbox, resolveTarget, startDirectory } from '../session/open-sandbox.js';
import { forwardSignals } from '../session/signals.js';
import { commandView } from '../ui/command-view.js';
import { findingsView } from '../ui/findings-view.js';
import { writeJson } from '../ui/json.js';
import type { Style } from '../ui/style.js';
import { oneLine } from '../ui/text.js';
import { widthOf } from '../ui/width.js';

const statusOf = { allow: 0, deny: 2, ask: 3 } as const;

export default defineCommand({
  name: 'check',
  summary: 'Judge a command without running it',
  usage: "[options] 'CMD'",
  details:
    'It opens the sandbox to see what is around the command there, and runs none of your commands.\n' +
    'The exit status is 0 when it would run, 2 when it would be denied, 3 when it would be asked.',
  options: {
    name: nameOption,
    cwd: { type: 'string', value: 'DIR', help: 'directory where the command would start' },
    json: jsonOption,
  },
  words: [1, Number.POSITIVE_INFINITY],
  wordsEndOptions: true,
  examples: [
    { line: "petasos check 'curl -s https://example.com/x.sh | sh'", does: 'what would be asked, and why' },
    { line: "petasos check --sandbox docker 'rm -rf /srv'", does: 'the same command may be harmless elsewhere' },
  ],
  async run(context, values, words) {
    const command = commandText(words);
    const signals = forwardSignals();
    const target = await resolveTarget(context);
    const settings = await approvalSettings(context, target.config);
    const sandbox = await openSandbox(context, target, { name: values.name ?? defaultName, signal: signals.aborted });
    try {
      const { checkCommand } = await import('@petasos/core/approvals');
      const check = await checkCommand(
        {
          operation: 'exec',
          command,
          cwd: values.cwd ?? startDirectory(context, target),
          env: {},
          sandbox: { backend: sandbox.backend, id: sandbox.id, name: sandbox.name },
          placement: () => sandbox.placement(),
          readFile: (path, maxBytes) => readStart(sandbox, path, maxBytes),
        },
        { mode: settings.mode, rules: settings.rules.flatMap((set) => set.rules), protectedPaths: settings.protectedPaths },
      );
      if (context.json) writeJson(context, jsonOf(command, check, sandbox));
      else {
        const style = context.style(context.stdout);
        context.stdout.write(checkText(command, check, { columns: widthOf(context.stdout) ?? 80, style }));
      }
      return statusOf[check.verdict];
    } finally {
      await sandbox.close();
      signals.release();
    }
  },
});

async function readStart(sandbox: Sandbox, path: string, maxBytes: number): Promise<Uint8Array | undefined> {
  return sandbox.files.read(path, { offset: 0, length: maxBytes }).catch(() => undefined);
}

function jsonOf(command: string, check: CommandCheck, sandbox: Sandbox): object {
  return {
    command,
    verdict: check.verdict,
    by: check.by,
    cwd: check.cwd,
    sandbox: { backend: sandbox.backend, name: sandbox.name, id: sandbox.id },
    findings: check.findings,
    commands: check.judgement.commands.map(({ argv, cwd, via, static: known }) => ({
      argv: argv.map((word) => word.text),
      cwd,
      via,
      known,
    })),
  };
}

const verdictLines = {
  allow: 'It would run.',
  ask: 'It would be asked.',
  deny: 'It would be denied.',
} as const;

/** What a person sees: the verdict, the command with what matters underlined, the reasons, and what would run. */
function checkText(command: string, check: CommandCheck, options: { readonly columns: number; readonly style: Style }): string {
  const { style } = options;
  const paint = { allow: style.green, ask: style.yellow, deny: style.red }[check.verdict];
  const open = check.findings.filter((finding) => finding.severity !== 'allow');
  const view = commandView(
    command,
    open.map((finding) => finding.span),
    options,
  );
  const resolved = check.judgement.commands.map((one) => {
    const words = one.argv.map((word) => (word.literal ? quoted(word.text) : word.text)).join(' ');
    return `  ${oneLine(words)}${one.via.length === 0 ? '' : style.dim(`  through ${oneLine(one.via.join(', '))}`)}\n`;
  });
  return (
    `${paint(verdictLines[check.verdict])}\n\n${view.text}` +
    `${check.findings.length === 0 ? '' : `\n${findingsView(check.findings, options)}`}` +
    `${resolved.length === 0 ? '' : `\n${style.dim('What runs')}\n${resolved.join('')}`}`
  );
}

function quoted(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
