import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { timed } from '../measure.js';
import { rawBash, rawSpawn } from '../raw.js';
import type { Row } from '../row.js';
import { type Summary, summarize } from '../statistics.js';
import { type SshPlace, withSsh } from './place.js';

const fileBytes = 5_000;
const filesInFolder = 100;

/** The ways to move a tree; each takes a number, so that no two write to one place. */
interface Ways {
  readonly petasos: (round: number) => Promise<unknown>;
  readonly scp: (round: number) => Promise<unknown>;
  readonly tar: (round: number) => Promise<unknown>;
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

export const upload: Row = row('ssh.upload', 'upload', ({ sandbox, options, destination, directory }, local) => ({
  petasos: (round) => sandbox.files.upload(local, `${directory}/petasos-${round}`),
  scp: (round) => rawSpawn('scp', ['-r', '-q', ...options, local, `${destination}:${directory}/scp-${round}`]),
  tar: (round) => {
    const target = `${directory}/tar-${round}`;
    return rawBash(`tar -C '${local}' -cf - . | ssh ${quoted([...options, destination])} "mkdir '${target}' && tar -C '${target}' -xf -"`);
  },
}));

export const download: Row = row('ssh.download', 'download', ({ sandbox, options, destination, directory }, local) => {
  const source = `${directory}/source`;
  return {
    petasos: (round) => sandbox.files.download(source, `${local}-petasos-${round}`),
    scp: (round) => rawSpawn('scp', ['-r', '-q', ...options, `${destination}:${source}`, `${local}-scp-${round}`]),
    tar: (round) => {
      const target = `${local}-tar-${round}`;
      return rawBash(
        `mkdir '${target}' && ssh ${quoted([...options, destination])} "tar -C '${source}' -cf - ." | tar -C '${target}' -xf -`,
      );
    },
  };
});

function row(id: string, what: string, ways: (place: SshPlace, local: string) => Ways): Row {
  return {
    id,
    run: (effort) =>
      withSsh(async (place) => {
        const files = effort === 'quick' ? 1_000 : 10_000;
        const folder = await mkdtemp(join(tmpdir(), 'bench-tree-'));
        try {
          const local = join(folder, 'tree');
          await makeTree(local, files);
          await place.sandbox.files.upload(local, `${place.directory}/source`);
          const measured = await inTurns(ways(place, local), effort === 'quick' ? 3 : 5);
          const [against, theirs] =
            measured.scp.medianMs < measured.tar.medianMs
              ? (['scp -r', measured.scp] as const)
              : (['tar | ssh tar', measured.tar] as const);
          const value = measured.petasos.medianMs / theirs.medianMs;
          return {
            id,
            what: `${what} of ${files} files, ${(files * fileBytes) / 1e6} MB`,
            against: `${against}, the faster of scp -r (${measured.scp.medianMs.toFixed(0)} ms) and tar | ssh tar (${measured.tar.medianMs.toFixed(0)} ms)`,
            ours: measured.petasos,
            theirs,
            figures: [{ label: 'time', value, unit: '×', bar: { atMost: 1 } }],
          };
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      }),
  };
}

async function makeTree(root: string, files: number): Promise<void> {
  for (let first = 0; first < files; first += filesInFolder) {
    const folder = join(root, `folder-${first / filesInFolder}`);
    await mkdir(folder, { recursive: true });
    const names = Array.from({ length: filesInFolder }, (_, index) => join(folder, `file-${index}`));
    await Promise.all(names.map((name) => writeFile(name, randomBytes(fileBytes))));
  }
}

/** Each way once a round, in an order that turns. */
async function inTurns(ways: Ways, rounds: number): Promise<Record<keyof Ways, Summary>> {
  const names = ['petasos', 'scp', 'tar'] as const;
  const samples: Record<keyof Ways, number[]> = { petasos: [], scp: [], tar: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < names.length; step += 1) {
      const name = names[(round + step) % names.length] ?? 'petasos';
      samples[name].push(await timed(() => ways[name](round)));
    }
  }
  return { petasos: summarize(samples.petasos), scp: summarize(samples.scp), tar: summarize(samples.tar) };
}
