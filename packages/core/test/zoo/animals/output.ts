import { chmod } from 'node:fs/promises';
import { type Animal, breakExec, mapOutput } from '../animal.js';

const text = (change: (text: string) => string) => mapOutput((bytes) => Buffer.from(change(bytes.toString('latin1')), 'latin1'));

export const outputAnimals: readonly Animal[] = [
  {
    name: 'merges stderr into stdout',
    caughtBy: 'E10.apart',
    breakIt: breakExec((sandbox, command, options) => sandbox.exec(`exec 2>&1\n${command}`, options)),
  },
  {
    name: 'drops the last chunk',
    caughtBy: 'E10.last-chunk',
    breakIt: mapOutput((bytes) => (bytes.length > 65_536 ? bytes.subarray(0, bytes.length - (bytes.length % 65_536 || 65_536)) : bytes)),
  },
  { name: 'drops NUL bytes', caughtBy: 'E10.nul', breakIt: text((output) => output.replaceAll('\0', '')) },
  { name: 'trims trailing newlines', caughtBy: 'E10.newlines', breakIt: text((output) => output.replace(/\n+$/, '')) },
  { name: 'translates CRLF', caughtBy: 'E10.newlines', breakIt: text((output) => output.replaceAll('\r\n', '\n')) },
  { name: 'swallows a byte order mark', caughtBy: 'E10.byte-order-mark', breakIt: text((output) => output.replace(/^\xef\xbb\xbf/, '')) },
  { name: 'carries text only', caughtBy: 'E10.every-byte', breakIt: mapOutput((bytes) => Buffer.from(bytes.toString('utf8'))) },
  {
    name: 'decodes per chunk',
    caughtBy: 'E10.split-character',
    breakIt: breakExec(async (sandbox, command, options) => {
      let stdout = '';
      const onStdout = (chunk: Uint8Array) => {
        stdout += Buffer.from(chunk).toString();
        options.onStdout?.(chunk);
      };
      return { ...(await sandbox.exec(command, { ...options, onStdout })), stdout };
    }),
  },
  {
    name: 'delivers output at the end only',
    caughtBy: 'E10.live',
    breakIt: breakExec(async (sandbox, command, { onStdout, onStderr, ...options }) => {
      const result = await sandbox.exec(command, options);
      onStdout?.(result.output.stdout.bytes);
      onStderr?.(result.output.stderr.bytes);
      return result;
    }),
  },
  {
    name: 'buffers everything',
    caughtBy: 'E11.256-mib',
    breakIt: breakExec(async (sandbox, command, options) => {
      const all: Uint8Array[] = [];
      const result = await sandbox.exec(command, { ...options, onStdout: (chunk) => void all.push(Buffer.from(chunk)) });
      const stdout = { ...result.output.stdout, totalBytes: Buffer.concat(all).length };
      return { ...result, output: { ...result.output, stdout } };
    }),
  },
  {
    name: 'keeps the tail only',
    caughtBy: 'E11.head-and-tail',
    breakIt: breakExec(async (sandbox, command, options) => {
      const result = await sandbox.exec(command, options);
      const { stdout } = result.output;
      if (stdout.cutBytes === 0) return result;
      const bytes = stdout.bytes.subarray(Math.ceil(stdout.bytes.length * 0.4));
      const cut = { ...stdout, bytes, cutBytes: stdout.totalBytes - bytes.length };
      return { ...result, output: { ...result.output, stdout: cut } };
    }),
  },
  {
    name: 'lets others read the spill file',
    caughtBy: 'E11.head-and-tail',
    breakIt: breakExec(async (sandbox, command, options) => {
      const result = await sandbox.exec(command, options);
      for (const { spillPath } of Object.values(result.output)) if (spillPath !== undefined) await chmod(spillPath, 0o644);
      return result;
    }),
  },
];
