import { readFile } from 'node:fs/promises';
import { PetasosError } from '../../contract/errors.js';
import { checkExamples, type Judge } from './examples.js';
import { type KeyPath, parseRules, type RuleSource, ruleFileError } from './load.js';
import type { RuleSet, RuleTier } from './rule.js';

const largestFile = 4 * 1024 * 1024;

export interface LoadRulesOptions {
  readonly tier: RuleTier;
  readonly judge: Judge;
}

/** Loads a rule file, YAML or JSON, and checks its examples. A file that is not there is an error: a rule that is missed allows. */
export async function loadRules(file: string, options: LoadRulesOptions): Promise<RuleSet> {
  return readRules(await readText(file), file, options);
}

/** The same for a text; `name` is what messages call it. */
export async function readRules(text: string, name: string, options: LoadRulesOptions): Promise<RuleSet> {
  const source = await parseSource(text, name);
  const set = parseRules(source, options.tier);
  checkExamples(set.rules, options.judge, source);
  return set;
}

/** Reads text that people wrote, and says plainly why it cannot. */
async function readText(file: string): Promise<string> {
  let content: Buffer;
  try {
    content = await readFile(file);
  } catch (cause) {
    throw new PetasosError('invalid-options', `${file}: cannot be read (${cause instanceof Error ? cause.message : String(cause)})`, {
      operation: 'approvals.rules',
      remedy: 'Create the file, or take it out of the configuration.',
      data: { path: file },
      cause,
    });
  }
  if (content.length > largestFile)
    throw ruleFileError({ name: file, line: () => undefined }, [{ path: [], message: 'is larger than 4 MiB' }]);
  return content.toString('utf8');
}

/** Parses YAML, of which JSON is a part. The parser is loaded here so that a start without rule files does not pay for it. */
export async function parseSource(text: string, name: string): Promise<RuleSource> {
  const { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined)
    throw ruleFileError({ name, line: () => lines.linePos(error.pos[0]).line }, [{ path: [], message: error.message }]);
  const line = (path: KeyPath): number => {
    let node: unknown = document.contents;
    let offset = 0;
    for (const key of path) {
      if (isMap(node)) {
        const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
        if (isScalar(pair?.key) && pair.key.range != null) offset = pair.key.range[0];
        node = pair?.value;
      } else if (isSeq(node)) {
        node = typeof key === 'number' ? node.items[key] : undefined;
        if (isNode(node) && node.range != null) offset = node.range[0];
      }
    }
    return lines.linePos(offset).line;
  };
  return { name, value: document.toJS(), line };
}
