import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  chooseCredentials,
  credentialFinding,
  estimateCost,
  lifetimeWarnings,
  loadSdk,
  requireCredentials,
  Secret,
} from '../../src/backend.js';

const remedy = 'Set CLOUD_ID and CLOUD_TOKEN.';

describe('credentials', () => {
  const sources = (options: { id?: string; token?: string }, env: { id?: string; token?: string }) => [
    { where: 'the options', parts: options },
    { where: 'the environment', parts: env },
  ];
  const choose = (options = {}, env = {}) => chooseCredentials(['id', 'token'], sources(options, env));

  it('the first complete source wins, and the finding says which', () => {
    const choice = choose({ id: 'a', token: 'b' }, { id: 'c', token: 'd' });
    expect(choice.chosen?.parts.token.reveal()).toBe('b');
    expect(credentialFinding('cloud', choice, remedy)).toEqual({
      id: 'cloud.credentials',
      status: 'ok',
      message: 'cloud uses the credentials from the options; it passes over the environment',
    });
  });

  it('half of one source is never mixed with half of another', () => {
    const choice = choose({ token: 'b' }, { id: 'c', token: 'd' });
    expect(choice.chosen?.parts.token.reveal()).toBe('d');
    expect(credentialFinding('cloud', choice, remedy)).toMatchObject({
      status: 'warning',
      message: 'cloud uses the credentials from the environment; the options lacks id',
    });
  });

  it('without any, the finding and the error name the remedy', () => {
    expect(credentialFinding('cloud', choose(), remedy)).toMatchObject({ status: 'failed', remedy });
    expect(() => requireCredentials('cloud', 'create', choose({ id: 'a' }), remedy)).toThrow(
      expect.objectContaining({ code: 'credentials', remedy, message: 'cloud has no credentials (the options lacks token)' }),
    );
  });

  it('an empty value is none', () => {
    expect(choose({ id: '', token: '' }, {}).incomplete).toEqual([]);
  });

  it('no value is printed', () => {
    const secret = new Secret('hush');
    expect([String(secret), JSON.stringify({ secret }), inspect({ secret }, { showHidden: true, depth: 9 })].join()).not.toContain('hush');
  });
});

describe('price', () => {
  const list = {
    asOf: '2026-01-02',
    source: 'https://example.com/pricing',
    perSecondUsd: { cpu: 0.00001, memoryGiB: 0.000005, diskGiB: 0.000001, gpu: { big: 0.001 } },
    freeDiskGiB: 5,
  };

  it('is the sum of what runs for an hour, with the day and the source', () => {
    expect(estimateCost(list, { cpus: 2, memoryMiB: 2048, diskGiB: 6 })).toEqual({
      class: 'metered',
      perHourUsd: 0.1116,
      asOf: list.asOf,
      source: list.source,
    });
    expect(estimateCost(list, { gpu: { kind: 'big', count: 2 } }).perHourUsd).toBe(7.2);
  });

  it('has no number for a device that is not on the list', () => {
    expect(estimateCost(list, { cpus: 1, gpu: { kind: 'unheard', count: 1 } }).perHourUsd).toBeUndefined();
  });
});

it('warns of a life that ends soon, and of none that does not', () => {
  const life = { backend: 'cloud', maximumMs: 86_400_000, remedy: 'Take a snapshot.' };
  expect(lifetimeWarnings({ ...life, leftMs: null })).toEqual([]);
  expect(lifetimeWarnings({ ...life, leftMs: 3_600_000 })).toEqual([]);
  expect(lifetimeWarnings({ ...life, leftMs: 120_000 })).toEqual([
    { id: 'lifetime.short', message: 'cloud ends this sandbox in 2 min; cloud allows 24 h at most', remedy: 'Take a snapshot.' },
  ]);
});

describe('an SDK', () => {
  const sdk = {
    backend: 'cloud',
    name: 'cloud-sdk',
    version: '1.2.3',
    is: (module: unknown): module is { Client: unknown } => typeof module === 'object' && module !== null && 'Client' in module,
  };

  it('that is missing is explained with the command that installs it', async () => {
    const load = () => import(String('petasos-no-such-package'));
    await expect(loadSdk({ ...sdk, load })).rejects.toMatchObject({
      code: 'unavailable',
      remedy: 'Install it beside Petasos: npm install cloud-sdk@1.2.3',
    });
  });

  it('is not taken for another package of the same name', async () => {
    await expect(loadSdk({ ...sdk, load: async () => ({ Modal: 1 }) })).rejects.toMatchObject({
      code: 'unavailable',
      message: 'cloud: the package cloud-sdk that is installed is not the SDK of cloud 1.2.3',
    });
    await expect(loadSdk({ ...sdk, hint: 'There are two.', load: async () => ({}) })).rejects.toMatchObject({
      message: 'cloud: the package cloud-sdk that is installed is not the SDK of cloud 1.2.3. There are two.',
    });
    expect(await loadSdk({ ...sdk, load: async () => ({ Client: 1 }) })).toEqual({ Client: 1 });
  });
});
