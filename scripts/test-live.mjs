#!/usr/bin/env node
// `pnpm test:live`: runs the suite against the services for which there are credentials. Needs a build. Reports go to live-report/.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, tool, workspacePackages } from './run.mjs';

const wanted = process.argv.slice(2);
let failed = false;
for (const { folder, manifest } of workspacePackages()) {
  const script = join(folder, 'test/live.ts');
  const name = manifest.petasos?.name;
  if (!existsSync(join(root, script)) || (wanted.length > 0 && !wanted.includes(name))) continue;
  const { code } = await tool('tsx', [script]);
  failed ||= code !== 0;
}
process.exitCode = failed ? 1 : 0;
