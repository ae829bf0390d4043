import { type Animal, breakExec, breakSandbox, quote } from '../animal.js';

export const backgroundAnimals: readonly Animal[] = [
  {
    name: 'waits for a background child',
    caughtBy: 'E4.returns-at-once',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`${command}\nwait`, options)),
  },
  {
    name: 'kills background children',
    caughtBy: 'E4.child-lives',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`trap 'kill $(jobs -p) 2>/dev/null' EXIT\n${command}`, options)),
  },
  {
    name: 'sends SIGPIPE to a background child',
    caughtBy: 'E4.no-broken-pipe',
    breakIt: breakExec((sandbox, command, options) => {
      const piped = `d=$(mktemp -d) && mkfifo "$d/out" || exit
cat "$d/out" & reader=$!
sh -c ${quote(command)} >"$d/out"; status=$?
sleep 0.1; kill $reader; rm -r "$d"
exit $status`;
      return sandbox.exec(piped, options);
    }),
  },
  {
    name: "lets a background child's late output into the next result",
    caughtBy: 'E4.late-output',
    breakIt: breakSandbox((sandbox) => {
      const file = sandbox.exec('mktemp').then((result) => result.stdout.trimEnd());
      let from = 0;
      return {
        exec: async (command, options = {}) => {
          const result = await sandbox.exec(`exec >>${await file}\n${command}`, options);
          const all = (await sandbox.exec(`cat ${await file}`)).output.stdout;
          const bytes = all.bytes.subarray(from);
          from = all.totalBytes;
          return { ...result, stdout: Buffer.from(bytes).toString(), output: { ...result.output, stdout: { ...all, bytes } } };
        },
        destroy: async () => {
          await sandbox.exec(`rm -f ${await file}`);
          await sandbox.destroy();
        },
      };
    }),
  },
  {
    name: 'takes the status of a background child',
    caughtBy: 'E4.status',
    breakIt: breakExec((sandbox, command, options) =>
      sandbox.exec(`trap 'kill $! 2>/dev/null; wait $!; exit $?' EXIT\n${command}`, options),
    ),
  },
];
