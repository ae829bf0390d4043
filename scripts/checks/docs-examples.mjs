import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFiles, root, tool } from '../run.mjs';

/** Inside the workspace, so that imports resolve as they do there; ignored by git. */
const folder = '.docs-examples';

/** What a reader's project would have installed, as it would be installed: the built declarations. */
const paths = {
  '@petasos/core': ['../packages/core/dist/index.d.ts'],
  '@petasos/core/*': ['../packages/core/dist/*/index.d.ts', '../packages/core/dist/*.d.ts'],
  '@petasos/backend-*': ['../packages/backend-*/dist/index.d.ts'],
  '@petasos/testbed': ['../tooling/testbed/src/index.ts'],
  '@petasos/emulators': ['../tooling/emulators/src/index.ts'],
  valibot: ['../packages/backend-local/node_modules/valibot/dist/index.d.mts'],
};

/**
 * Type-checks every ```ts block of the documentation. A block that builds on the one before it says so: ```ts continued.
 * @returns {Promise<string[]>} problems, at the line of the document
 */
export async function docsExamples() {
  const examples = (await repositoryFiles())
    .filter((path) => path.endsWith('.md') && !path.startsWith('.changeset/'))
    .flatMap((path) => blocks(path, readFileSync(join(root, path), 'utf8')));
  if (examples.length === 0) return ['no document has a ts block: the check looks at nothing'];

  const directory = join(root, folder);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  try {
    const config = { extends: '../tsconfig.base.json', compilerOptions: { paths, noUnusedLocals: false }, include: ['*.ts'] };
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(config));
    examples.forEach(({ code }, index) => {
      writeFileSync(join(directory, `${index}.ts`), `${code}\nexport {};\n`);
    });
    const { code, output } = await tool('tsc', ['-p', directory, '--pretty', 'false'], { capture: true });
    return code === 0
      ? []
      : output
          .trim()
          .split('\n')
          .map((line) => atItsPlace(line, examples));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function blocks(path, text) {
  const found = [];
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const opening = lines[at].match(/^```ts( continued)?$/);
    if (!opening) continue;
    const end = lines.indexOf('```', at + 1);
    const code = lines.slice(at + 1, end).join('\n');
    const previous = found.at(-1);
    // Blank lines keep the line numbers of the document.
    if (opening[1] && previous)
      previous.code += `${'\n'.repeat(at + 1 - previous.firstLine - previous.code.split('\n').length + 1)}${code}`;
    else found.push({ path, firstLine: at + 1, code });
    at = end;
  }
  return found;
}

function atItsPlace(line, examples) {
  return line.replace(/^.*?(\d+)\.ts\((\d+),(\d+)\)/, (whole, index, row, column) => {
    const example = examples[Number(index)];
    return example === undefined ? whole : `${example.path}:${example.firstLine + Number(row)}:${column}`;
  });
}
