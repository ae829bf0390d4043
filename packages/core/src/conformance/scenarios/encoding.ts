import { equal, exited, printed, sameBytes } from '../expect.js';
import { each } from '../parallel.js';
import { scenarios } from '../scenario.js';
import { nap } from '../shell-text.js';

const octal = (bytes: Uint8Array) => [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const everyByte = Uint8Array.from({ length: 256 }, (_, i) => i);

export const encoding = scenarios('encoding', [
  {
    id: 'E10.every-byte',
    title: 'every byte value comes out as it went in, on both streams',
    async run({ sandbox }) {
      const result = await sandbox.exec(`printf '${octal(everyByte)}'; printf '${octal(everyByte.toReversed())}' >&2`);
      exited(result);
      sameBytes(result.output.stdout.bytes, everyByte, 'stdout');
      sameBytes(result.output.stderr.bytes, everyByte.toReversed(), 'stderr');
    },
  },
  {
    id: 'E10.nul',
    title: 'NUL bytes are kept',
    async run({ sandbox }) {
      const result = await sandbox.exec("printf 'a\\000b\\000\\000c'");
      printed(result, 'a\0b\0\0c');
      equal(result.output.stdout.totalBytes, 6, 'bytes written');
    },
  },
  {
    id: 'E10.newlines',
    title: 'no newline is added, taken or translated',
    async run({ sandbox }) {
      await each(['a', 'a\n', 'a\n\n\n', '\n\n', '\n a \n', 'a\r\nb\r\n', 'a\rb', '\r', 'a\n\r', ' \t '], async (text) => {
        const result = await sandbox.exec(`printf '${octal(Buffer.from(text))}'; printf '${octal(Buffer.from(text))}' >&2`);
        printed(result, text, text);
      });
    },
  },
  {
    id: 'E10.split-character',
    title: 'a character whose bytes arrive one by one is not broken',
    async run({ sandbox }) {
      const pieces = [...Buffer.from('世🎉')].map((byte) => `printf '${octal(Uint8Array.of(byte))}'`);
      let seen = Buffer.alloc(0);
      const result = await sandbox.exec(`${nap}; ${pieces.join('; ')}; printf '\\342'; nap; printf '\\202'; nap; printf '\\254'`, {
        onStdout: (chunk) => {
          seen = Buffer.concat([seen, chunk]);
        },
      });
      printed(result, '世🎉€');
      sameBytes(seen, Buffer.from('世🎉€'), 'what the listener got');
    },
  },
  {
    id: 'E10.long-unicode',
    title: 'multi-byte characters survive the borders of chunks',
    async run({ sandbox }) {
      const result = await sandbox.exec(`printf x; i=0; while [ $i -lt 2000 ]; do printf '${'世'.repeat(33)}'; i=$((i+1)); done`);
      printed(result, `x${'世'.repeat(66_000)}`);
    },
  },
  {
    id: 'E10.invalid-utf8',
    title: 'invalid UTF-8 is replaced in the text and kept in the bytes',
    async run({ sandbox }) {
      const result = await sandbox.exec("printf 'a\\377\\303b\\342\\202'");
      const bytes = Buffer.from([0x61, 0xff, 0xc3, 0x62, 0xe2, 0x82]);
      sameBytes(result.output.stdout.bytes, bytes, 'the bytes');
      equal(result.stdout, bytes.toString(), 'the text');
    },
  },
  {
    id: 'E10.byte-order-mark',
    title: 'a byte order mark is output like any other',
    async run({ sandbox }) {
      printed(await sandbox.exec("printf '\\357\\273\\277text'"), '\ufefftext');
    },
  },
]);
