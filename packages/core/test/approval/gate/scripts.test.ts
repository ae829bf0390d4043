import { describe, expect, test } from 'vitest';
import type { ApprovalRequest } from '../../../src/approval/gate/approver.js';
import { createGate } from '../../../src/approval/gate/gate.js';
import type { Rule } from '../../../src/approval/rules/rule.js';
import { fakeJudge } from '../support/fake-judge.js';
import { request, throwaway } from '../support/requests.js';

const project = '/home/dev/project';

function setup(files: Record<string, string>, answers: ('once' | 'session' | 'deny')[] = [], rules: readonly Rule[] = []) {
  const asked: ApprovalRequest[] = [];
  const known = new Map(Object.entries(files).map(([name, text]) => [name.startsWith('/') ? name : `${project}/${name}`, text]));
  const gate = createGate({
    judge: fakeJudge,
    rules,
    approver: async (question) => {
      asked.push(question);
      return { choice: answers[asked.length - 1] ?? 'deny' };
    },
  });
  return { admit: (command: string, options = {}) => gate.admit(request(command, { files: known, ...options })), asked, files: known };
}

test('a harmless script runs, a dangerous one is asked with what stands in it', async () => {
  const { admit, asked } = setup({ 'ok.sh': 'ls\nnpm test', 'bad.sh': 'ls\nrm -rf x' });
  await admit('sh ok.sh');
  await expect(admit('ls; sh bad.sh')).rejects.toMatchObject({ code: 'not-approved' });
  expect(asked[0]?.findings).toMatchObject([
    {
      rule: 'fs.delete-recursive',
      via: ['bad.sh'],
      span: { start: 4, end: 13 },
      reason: `in ${project}/bad.sh: removes a directory with everything in it`,
      durable: false,
    },
  ]);
});

test('a script with something of no return is denied', async () => {
  await expect(setup({ 'bad.sh': 'mkfs x' }).admit('sh bad.sh')).rejects.toMatchObject({ data: { by: 'judge' } });
});

test('deny rules see into scripts', async () => {
  const deny: Rule = { decision: 'deny', argv: ['npm', 'publish'], match: [], notMatch: [], tier: 'user', origin: 'r:1' };
  await expect(setup({ 'release.sh': 'npm publish' }, [], [deny]).admit('sh release.sh')).rejects.toMatchObject({ data: { by: 'rule' } });
});

test('scripts that run scripts are followed, once each, and not for ever', async () => {
  const nested = setup({ 'a.sh': 'sh b.sh', 'b.sh': 'sh a.sh; rm x' });
  await expect(nested.admit('sh a.sh')).rejects.toMatchObject({ code: 'not-approved' });
  expect(nested.asked[0]?.findings.map((one) => one.via)).toEqual([['a.sh', 'b.sh']]);
  const deep = setup(Object.fromEntries(Array.from({ length: 9 }, (_unused, index) => [`${index}.sh`, `sh ${index + 1}.sh`])));
  await expect(deep.admit('sh 0.sh')).rejects.toMatchObject({ data: { rule: 'script.unread' } });
});

test('the answer is bound to the content', async () => {
  const { admit, asked, files } = setup({ 'bad.sh': 'rm -rf x' }, ['session', 'session', 'once']);
  await admit('sh bad.sh');
  await admit('sh bad.sh');
  expect(asked).toHaveLength(1);
  files.set(`${project}/bad.sh`, 'rm -rf x;');
  await admit('sh bad.sh');
  expect(asked).toHaveLength(2);
  await admit('rm -rf x');
  expect(asked).toHaveLength(3);
});

test('the answer about a command is bound to the file that it runs, whatever its language', async () => {
  const ask: Rule = { decision: 'ask', argv: ['python3'], match: [], notMatch: [], tier: 'user', origin: 'r:1' };
  const { admit, asked, files } = setup({ 'gen.py': 'print(1)' }, ['session', 'session'], [ask]);
  await admit('python3 gen.py');
  await admit('python3 gen.py');
  expect(asked).toHaveLength(1);
  files.set(`${project}/gen.py`, 'print(2)');
  await admit('python3 gen.py');
  expect(asked).toHaveLength(2);
});

test('a script that changes while it is asked about is not run', async () => {
  const files = new Map([[`${project}/bad.sh`, 'rm -rf x']]);
  const gate = createGate({
    judge: fakeJudge,
    approver: async () => {
      files.set(`${project}/bad.sh`, 'rm -rf /srv');
      return { choice: 'session' };
    },
  });
  const admit = () => gate.admit(request('sh bad.sh', { files }));
  await expect(admit()).rejects.toMatchObject({
    data: { by: 'script-changed' },
    message: expect.stringContaining('was changed while the approval was asked for'),
  });
});

describe('a script that cannot be read', () => {
  test('is asked about when a shell would run it', async () => {
    await expect(setup({}).admit('sh gone.sh')).rejects.toMatchObject({
      data: { rule: 'script.unread' },
      message: expect.stringContaining(`what ${project}/gone.sh would do is not known`),
    });
  });
  test('is asked about when it is too large', async () => {
    await expect(setup({ 'big.sh': `ls\n${'#'.repeat(1024 * 1024)}` }).admit('sh big.sh')).rejects.toMatchObject({
      data: { rule: 'script.unread' },
    });
  });
  test('does no harm in a throwaway container', async () => {
    await setup({}).admit('sh gone.sh', { place: throwaway });
  });
  test('of another interpreter is the judge’s business', async () => {
    await setup({}).admit('python3 gone.py');
  });
});

test('a long script is read whole', async () => {
  const { admit } = setup({ 'long.sh': `ls\n${'#'.repeat(200_000)}\nmkfs x` });
  await expect(admit('sh long.sh')).rejects.toMatchObject({ data: { by: 'judge' } });
});

describe('a file that is run directly', () => {
  const direct: typeof fakeJudge = (text, context) => {
    const judged = fakeJudge(text, context);
    const commands = judged.commands.map((one) =>
      one.argv[0]?.text.startsWith('./') === true
        ? { ...one, script: { path: `${project}/${one.argv[0].text.slice(2)}`, interpreter: '' } }
        : one,
    );
    return { ...judged, commands };
  };
  const admit = (content: string) =>
    createGate({ judge: direct }).admit(request('./run', { files: new Map([[`${project}/run`, content]]) }));

  test.each(['#!/bin/sh\nmkfs x', '#!/usr/bin/env bash\nmkfs x', '#!/usr/bin/env -S bash -e\nmkfs x', '#! /bin/dash -e\nmkfs x', 'mkfs x'])(
    '%j is judged',
    async (content) => {
      await expect(admit(content)).rejects.toMatchObject({ data: { by: 'judge' } });
    },
  );
  test.each(['#!/usr/bin/env node\nmkfs x', '#!/usr/bin/python3\nmkfs x', '\u007fELF\0\nmkfs x'])(
    '%j is not a shell script',
    async (content) => {
      await admit(content);
    },
  );
});
