import type { Suits } from '@petasos/core';
import { defineCommand, jsonOption } from '../args/command.js';
import { type Answer, decisionTree, everyWay, type Question } from '../choose/tree.js';
import { loadConfig } from '../config/config.js';
import { discoverBackends } from '../plugins/discover.js';
import { askIsolated } from '../plugins/isolated.js';
import { installCommand, knownBackends } from '../plugins/names.js';
import { installationKind } from '../plugins/origins.js';
import type { Context } from '../session/context.js';
import { askChoice, canAsk, confirm, requireTerminal } from '../ui/ask.js';
import { CliError, UsageError } from '../ui/errors.js';
import { exitStatus } from '../ui/exit-status.js';
import { writeJson } from '../ui/json.js';
import { oneLine } from '../ui/text.js';

interface Candidate {
  readonly name: string;
  readonly title: string;
  readonly goodFor: string | undefined;
  /** Undefined: it is installed. */
  readonly install: string | undefined;
}

export default defineCommand({
  name: 'choose',
  summary: 'Find the place that suits the work, in a few questions',
  usage: '[options]',
  details: `With --answers nothing is asked. The ways through the questions:\n${everyWay()
    .map((words) => `  ${words.join(',')}\n`)
    .join('')}`.trimEnd(),
  options: {
    answers: { type: 'string', value: 'A,B…', help: 'the answers, for scripts' },
    json: jsonOption,
  },
  words: [0, 0],
  examples: [
    { line: 'petasos choose', does: 'asks, says why, and offers to set it' },
    { line: 'petasos choose --answers here,yes,no --json', does: 'the same for a script' },
  ],
  async run(context, values) {
    const answers = values.answers === undefined ? await ask(context) : follow(values.answers.split(',').map((word) => word.trim()));
    const { suits, because } = conclusion(answers);
    const [chosen, ...others] = await candidates(context, suits);
    if (chosen === undefined)
      throw new CliError(`no place is known that suits ${suits}`, { code: 'nothing-suits', remedy: 'petasos backends lists them.' });
    if (context.json) {
      writeJson(context, { choice: chosen.name, because, suits, ...chosen, others: others.map(({ name }) => name) });
      return exitStatus.ok;
    }
    const style = context.style(context.stdout);
    context.stdout.write(`${style.bold(chosen.name)}: ${oneLine(chosen.title)}, because ${because.join(', and ')}.\n`);
    if (chosen.goodFor !== undefined) context.stdout.write(`Good for ${oneLine(chosen.goodFor)}.\n`);
    if (others.length > 0) context.stdout.write(`It would suit too: ${others.map(({ name }) => name).join(', ')}.\n`);
    if (chosen.install !== undefined) context.stdout.write(`Install it: ${chosen.install}\n`);
    await offer(context, chosen, values.answers !== undefined);
    return exitStatus.ok;
  },
});

async function ask(context: Context): Promise<readonly Answer[]> {
  requireTerminal(context, 'choose', 'Give the answers: petasos choose --answers here,yes,no (see --help).');
  const given: Answer[] = [];
  for (let question: Question | Suits = decisionTree; typeof question !== 'string'; ) {
    const { text, answers }: Question = question;
    const word = await askChoice(
      context,
      text,
      answers.map((answer) => ({ value: answer.word, label: answer.label })),
    );
    const answer = answerOf(question, word);
    given.push(answer);
    question = answer.leadsTo;
  }
  return given;
}

function follow(words: readonly string[]): readonly Answer[] {
  const given: Answer[] = [];
  let question: Question | Suits = decisionTree;
  for (const word of words) {
    if (typeof question === 'string') throw new UsageError(`--answers: ${JSON.stringify(word)} answers no question any more`);
    const answer: Answer = answerOf(question, word);
    given.push(answer);
    question = answer.leadsTo;
  }
  if (typeof question !== 'string') {
    throw new UsageError(`--answers: not answered: ${question.text}`, `Add one of ${question.answers.map(({ word }) => word).join(', ')}.`);
  }
  return given;
}

function answerOf(question: Question, word: string): Answer {
  const answer = question.answers.find((candidate) => candidate.word === word);
  if (answer !== undefined) return answer;
  const words = question.answers.map((candidate) => candidate.word).join(', ');
  throw new UsageError(`--answers: ${JSON.stringify(word)} is no answer to: ${question.text}`, `Write one of ${words}.`);
}

function conclusion(answers: readonly Answer[]): { readonly suits: Suits; readonly because: readonly string[] } {
  const last = answers.at(-1)?.leadsTo;
  if (typeof last !== 'string') throw new Error('the questions have not come to an end');
  return { suits: last, because: answers.map(({ because }) => because) };
}

/** Installed ones first: what is there works at once. */
async function candidates(context: Context, suits: Suits): Promise<readonly Candidate[]> {
  const config = await loadConfig(context);
  const { backends } = await discoverBackends(context, config);
  const answers = await Promise.all(
    backends.map(async (backend) => ({ backend, answer: await askIsolated(backend, 'traits', {}, config.hostEnv) })),
  );
  const installed = answers.flatMap(({ backend, answer }): Candidate[] =>
    answer.ok && answer.value.suits?.includes(suits)
      ? [{ name: backend.name, title: answer.value.title, goodFor: answer.value.goodFor, install: undefined }]
      : [],
  );
  const installation = await installationKind();
  const known = Object.entries(knownBackends).flatMap(([name, { title, suits: suited }]): Candidate[] =>
    suited.includes(suits) && !backends.some((backend) => backend.name === name)
      ? [{ name, title, goodFor: undefined, install: installCommand(name, installation) }]
      : [],
  );
  return [...installed, ...known];
}

async function offer(context: Context, { name, install }: Candidate, scripted: boolean): Promise<void> {
  if (scripted || !canAsk(context) || install !== undefined) {
    context.stdout.write(`Then: petasos setup ${name}, or petasos config set sandbox ${name}\n`);
    return;
  }
  if (!(await confirm(context, `Run commands in ${name} from now on?`))) return;
  const { editConfig, setValue } = await import('../config/edit.js');
  await editConfig(context.paths.configFile, setValue('sandbox', name));
  context.stderr.write(`Set in ${context.paths.configFile}. petasos setup ${name} checks it and asks for what it needs.\n`);
}
