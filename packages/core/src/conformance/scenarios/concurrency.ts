import { ensure, equal, exited, printed, sameBytes } from '../expect.js';
import { scenarios } from '../scenario.js';
import { lasting, nap } from '../shell-text.js';

export const concurrency = scenarios('concurrency', [
  {
    id: 'E12.fifty',
    title: 'fifty commands at once do not mix: output, status, variables and input are each their own',
    async run({ sandbox }) {
      const command =
        'i=0; while [ $i -lt 40 ]; do echo "$PETASOS_ME $i"; echo "e$PETASOS_ME $i" >&2; i=$((i+1)); done; cat; exit $PETASOS_ME';
      const numbers = Array.from({ length: 50 }, (_, i) => i);
      const results = await Promise.all(
        numbers.map((me) => sandbox.exec(command, { env: { PETASOS_ME: String(me) }, stdin: `input of ${me}` })),
      );
      for (const [me, result] of results.entries()) {
        const lines = (prefix: string) => Array.from({ length: 40 }, (_, i) => `${prefix}${me} ${i}\n`).join('');
        exited(result, me);
        equal([result.stdout, result.stderr], [`${lines('')}input of ${me}`, lines('e')], `the output of command ${me}`);
      }
    },
  },
  {
    id: 'E12.at-the-same-time',
    title: 'commands run at the same time: eight of them wait for each other',
    async run(context) {
      const directory = await context.directory();
      const count = 8;
      const controller = new AbortController();
      const { signal } = controller;
      const meet = async (me: number) => {
        const command = `${nap}; : > ${directory}/${me}; until [ "$(ls ${directory} | wc -l)" -ge ${count} ]; do nap; done; echo met`;
        printed(await context.sandbox.exec(command, { timeoutMs: 4000, graceMs: 200, signal }), 'met\n');
      };
      const meetings = Array.from({ length: count }, (_, me) => meet(me));
      try {
        await Promise.all(meetings);
      } finally {
        controller.abort();
        await Promise.allSettled(meetings);
      }
    },
  },
  {
    id: 'E12.slow-one',
    title: 'a slow command does not delay others',
    async run(context) {
      const { sandbox } = context;
      const marker = context.marker();
      const controller = new AbortController();
      const slow = sandbox.exec(lasting(marker), { signal: controller.signal, graceMs: 300 });
      await context.alive(marker);
      let over = false;
      void slow.then(() => {
        over = true;
      });
      for (let i = 0; i < 10; i++) printed(await sandbox.exec(`echo ${i}`), `${i}\n`);
      ensure(!over, 'the slow command should be running still, observed its end');
      controller.abort();
      await slow;
      await context.gone(marker);
    },
  },
  {
    id: 'E12.big-outputs',
    title: 'big outputs at the same time come out whole and apart',
    async run({ sandbox }) {
      const results = await Promise.all(Array.from({ length: 6 }, (_, i) => sandbox.exec(`head -c 700000 /dev/zero | tr '\\0' ${i}`)));
      for (const [i, result] of results.entries()) {
        exited(result);
        sameBytes(result.output.stdout.bytes, Buffer.alloc(700_000, String(i)), `the output of command ${i}`);
      }
    },
  },
]);
