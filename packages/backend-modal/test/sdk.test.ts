import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { judgeIdempotent, translate } from '../src/errors.js';
import { loadModal, sdkVersion } from '../src/sdk.js';
import { retryAfterMs } from '../src/throttle.js';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { dependencies: Record<string, string> };

it('the SDK is pinned to the version that the emulator models and that is installed', async () => {
  expect(manifest.dependencies.modal).toBe(sdkVersion);
  const { ContainerProcess, ModalClient } = await loadModal();
  expect(new ModalClient({ tokenId: 'a', tokenSecret: 'b' }).version()).toBe(sdkVersion);
  // Internal to the SDK, and the only way to stop waiting for a process.
  expect(typeof ContainerProcess.prototype._wait).toBe('function');
});

it('npm’s other package of the name modal is not taken for the SDK', async () => {
  await expect(loadModal(async () => ({ default: function Modal() {} }))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('an unrelated window for browsers'),
    remedy: expect.stringContaining(`npm install modal@${sdkVersion}`),
  });
});

it('a missing SDK is told with the command that installs it', async () => {
  const missing = async () => {
    throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
  };
  await expect(loadModal(missing)).rejects.toMatchObject({ code: 'unavailable', remedy: expect.stringContaining('npm install modal@') });
});

it('the backend’s name, capabilities and options are read without the SDK', () => {
  const coverage = mkdtempSync(path.join(tmpdir(), 'modal-loaded-'));
  try {
    const root = fileURLToPath(new URL('../../..', import.meta.url));
    const typescript = pathToFileURL(createRequire(path.join(root, 'tooling/testbed/package.json')).resolve('tsx')).href;
    const raw = pathToFileURL(path.join(root, 'tooling/testbed/src/client/raw-text.mjs')).href;
    const entry = new URL('../src/index.ts', import.meta.url).href;
    const text = `const { default: modal } = await import(${JSON.stringify(entry)}); console.log(modal.name, modal.capabilities({}).files)`;
    const out = execFileSync(process.execPath, ['--import', typescript, '--import', raw, '--input-type=module', '-e', text], {
      env: {
        ...process.env,
        NODE_V8_COVERAGE: coverage,
        TSX_DISABLE_CACHE: '1',
        TSX_TSCONFIG_PATH: path.join(root, 'tsconfig.sources.json'),
      },
      encoding: 'utf8',
    });
    expect(out).toBe('modal native\n');
    const loaded = readdirSync(coverage).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(path.join(coverage, file), 'utf8')) as { result: { url: string }[] };
      return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
    });
    expect(loaded).toContain(entry);
    expect(loaded.filter((url) => /node_modules\/(modal|nice-grpc|smol-toml)\//.test(url))).toEqual([]);
  } finally {
    rmSync(coverage, { recursive: true, force: true });
  }
});

describe('what a failure means', () => {
  const grpc = (code: number) => Object.assign(new Error('said'), { name: 'ClientError', code, details: 'said' });
  const named = (name: string) => Object.assign(new Error('said'), { name });

  it.each([
    [grpc(16), 'credentials', false],
    [grpc(7), 'credentials', false],
    [grpc(8), 'rate-limited', true],
    [named('ResourceExhaustedError'), 'quota', true],
    [grpc(14), 'unavailable', true],
    [grpc(4), 'unavailable', true],
    [grpc(5), 'sandbox-not-found', false],
    [named('NotFoundError'), 'sandbox-not-found', false],
    [grpc(9), 'destroyed', false],
    [named('ConflictError'), 'destroyed', false],
    [named('AlreadyExistsError'), 'sandbox-exists', false],
    [named('InvalidError'), 'invalid-request', false],
    [named('TimeoutError'), 'unavailable', true],
    [named('TypeError'), 'place-failed', false],
  ] as const)('%s is %s', (error, code, retryable) => {
    expect(translate(error, 'test', 'it failed')).toMatchObject({
      code,
      retryable,
      backend: 'modal',
      remedy: expect.any(String),
      cause: error,
    });
  });

  it('says what may be sent again', () => {
    const judge = judgeIdempotent();
    expect([14, 14, 8, 8].map((status) => judge(grpc(status)).retry)).toEqual([true, false, true, true]);
    for (const error of [grpc(16), grpc(3), grpc(9), named('ResourceExhaustedError'), new Error('plain')])
      expect(judgeIdempotent()(error)).toEqual({ retry: false });
  });

  it('reads when to come back, and nothing where a refusal is damaged or says something else', () => {
    const field = (number: number, bytes: Buffer) => Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
    const policy = Buffer.from([13, 0, 0, 0, 0]);
    policy.writeFloatLE(2.5, 1);
    const detail = (type: string) => field(3, Buffer.concat([field(1, Buffer.from(type)), field(2, policy)]));
    const head = Buffer.from([8, 8, 18, 1, 97]);
    expect(retryAfterMs(Buffer.concat([head, detail('type.googleapis.com/modal.client.RPCRetryPolicy')]))).toBe(2500);
    expect(retryAfterMs(Buffer.concat([head, detail('type.googleapis.com/another.Thing')]))).toBeUndefined();
    for (const bytes of [Buffer.alloc(0), head, Buffer.from([26, 200]), Buffer.from([7, 7, 7])])
      expect(retryAfterMs(bytes)).toBeUndefined();
  });
});
