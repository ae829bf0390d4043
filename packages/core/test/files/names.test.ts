import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ByteSource } from '../../src/files/transfer/byte-source.js';
import { encodeHeader, paddingAfter } from '../../src/files/transfer/tar-header.js';
import { TarReader } from '../../src/files/transfer/tar-reader.js';
import { busybox, childFiles } from './child-runner.js';

/** Every name that a file can have and a string can hold. */
const name = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 80 })
  .map((text) => text.replace(/[/\0]/g, '_'))
  .filter((text) => text !== '.' && text !== '..' && Buffer.byteLength(text) <= 255);

describe('any name', () => {
  const userland = busybox();
  let root: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'petasos-names-'));
  });
  afterAll(() => {
    userland.dispose();
    rmSync(root, { recursive: true });
  });

  it('goes through every operation', async () => {
    const files = childFiles(userland, root);
    await fc.assert(
      fc.asyncProperty(name, name, async (directory, file) => {
        const path = join(root, 'home', directory, file);
        await files.write(path, file);
        expect(readFileSync(path, 'utf8')).toBe(file);
        expect((await files.list(join(root, 'home'))).map((entry) => entry.name)).toEqual([directory]);
        expect(await files.list(join(root, 'home', directory))).toMatchObject([{ name: file, path, size: Buffer.byteLength(file) }]);
        await files.remove(join(root, 'home', directory), { recursive: true });
      }),
      { numRuns: 60 },
    );
  });
});

const part = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 ? 1 : byte))));

describe('an archive', () => {
  it('says what was put into it, whatever the bytes of the names', async () => {
    const entry = fc.record({
      name: part,
      target: part,
      type: fc.constantFrom('file' as const, 'symlink' as const),
      mode: fc.integer({ min: 0, max: 0o7777 }),
      content: fc.uint8Array({ maxLength: 2_000 }),
      modifiedAt: fc.integer({ min: 0, max: 2 ** 40 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 5 }), fc.integer({ min: 1, max: 3_000 }), async (entries, chunk) => {
        const blocks: Buffer[] = [];
        for (const { content, target, ...header } of entries) {
          const size = header.type === 'file' ? content.length : 0;
          const owner = { uid: 3_000_000_000, gid: 1_000 };
          blocks.push(encodeHeader({ ...header, size, ...(header.type === 'symlink' ? { target } : {}) }, owner));
          if (size > 0) blocks.push(Buffer.from(content), Buffer.alloc(paddingAfter(size)));
        }
        const bytes = Buffer.concat([...blocks, Buffer.alloc(1_024)]);
        async function* pieces() {
          for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
        }
        const reader = new TarReader(new ByteSource(pieces()));
        for (const { name: wanted, type, target, mode, content, modifiedAt } of entries) {
          const found = await reader.next();
          expect(found).toMatchObject({ kind: type, name: wanted.toString('latin1'), mode, modifiedAt });
          if (type === 'symlink') expect(found?.target).toBe(target.toString('latin1'));
          else expect(await reader.content()).toEqual(Buffer.from(content));
        }
        expect(await reader.next()).toBeUndefined();
      }),
      { numRuns: 200 },
    );
  });

  it('carries sizes that octal digits cannot', async () => {
    const header = encodeHeader(
      { type: 'file', name: Buffer.from('big'), mode: 0o644, size: 2 ** 40 + 5, modifiedAt: 0 },
      { uid: 0, gid: 0 },
    );
    async function* pieces() {
      yield header;
    }
    expect(await new TarReader(new ByteSource(pieces())).next()).toMatchObject({ size: 2 ** 40 + 5 });
  });
});
