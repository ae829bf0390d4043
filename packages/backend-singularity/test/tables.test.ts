import { expect, it } from 'vitest';
import { hostMounts } from '../src/mounts.js';
import { parseDuration, parseJob, stateOf } from '../src/slurm/queue.js';

it.each([
  ['1-02:03:04', ((24 + 2) * 60 + 3) * 60_000 + 4_000],
  ['12:00:00', 12 * 3_600_000],
  ['59:30', 59 * 60_000 + 30_000],
  ['0:00', 0],
  ['UNLIMITED', null],
  ['INVALID', null],
])('%s of SLURM is so many milliseconds', (text, ms) => expect(parseDuration(text)).toBe(ms));

it('a line of the queue is a job, whatever its reason holds', () => {
  const job = parseJob('42|PENDING|1:00:00|N/A||main|Nodes required for job are DOWN, DRAINED|odd');
  expect(job).toMatchObject({
    id: '42',
    leftMs: 3_600_000,
    node: '',
    partition: 'main',
    reason: 'Nodes required for job are DOWN, DRAINED|odd',
  });
  expect(stateOf(job)).toBe('running');
  expect(
    ['CANCELLED', 'TIMEOUT', 'NODE_FAIL', 'PREEMPTED', 'COMPLETED', 'OUT_OF_MEMORY'].map((state) => stateOf({ ...job, state })),
  ).toEqual(Array(6).fill('gone'));
  expect(stateOf(undefined)).toBe('gone');
});

it('mounts are told by the path that leads to them on the machine', () => {
  const machine = [
    '27 1 254:0 / / rw - ext4 /dev/vda rw',
    '50 27 0:60 / /scratch rw - lustre mds rw',
    '51 27 254:1 /vol/homes /home rw - xfs /dev/vdb rw',
  ];
  const container = [
    '1 0 0:46 / / rw - fuse.fuse-overlayfs fuse-overlayfs rw',
    '2 1 0:49 / /proc rw - proc proc rw',
    '3 1 254:0 /etc/hosts /etc/hosts rw - ext4 /dev/vda rw',
    '4 1 0:60 /me /data ro - lustre mds rw',
    '5 1 254:1 /vol/homes/me /home/me rw - xfs /dev/vdb rw',
    '6 1 254:0 /with\\040space /mnt rw - ext4 /dev/vda rw',
  ];
  const writable = ['/proc', '/home/me', '/mnt'];
  expect(hostMounts([machine, container].map((lines) => lines.join('\n')).join('\n\n'), writable.join('\n'))).toEqual([
    { source: '/etc/hosts', target: '/etc/hosts', access: 'read-only' },
    { source: '/scratch/me', target: '/data', access: 'read-only' },
    { source: '/home/me', target: '/home/me', access: 'read-write' },
    { source: '/with space', target: '/mnt', access: 'read-write' },
  ]);
});
