import { type Cost, estimateCost, type PriceList } from '@petasos/core/backend';
import type { ModalOptions } from './options.js';

/**
 * Modal's prices for sandboxes, which are not those for functions: a core costs three times as much. Regions and non-preemptible machines
 * cost a multiple.
 */
const prices: PriceList = {
  asOf: '2026-06-27',
  source: 'https://modal.com/pricing, at second hand',
  perSecondUsd: {
    cpu: 0.00003942,
    memoryGiB: 0.00000672,
    gpu: {
      B200: 0.001736,
      H200: 0.001261,
      H100: 0.001097,
      'A100-80GB': 0.000694,
      A100: 0.000583,
      'A100-40GB': 0.000583,
      L40S: 0.000542,
      A10G: 0.000306,
      A10: 0.000306,
      L4: 0.000222,
      T4: 0.000164,
    },
  },
};

/** What Modal reserves, and charges at least, where nothing is asked for. */
const leastCpus = 0.125;
const leastMemoryMiB = 128;

export function costOf(options: ModalOptions): Cost {
  const [kind = '', count = '1'] = (options.gpu ?? '').split(':');
  return estimateCost(prices, {
    cpus: options.cpus || leastCpus,
    memoryMiB: options.memoryMiB || leastMemoryMiB,
    ...(kind === '' ? {} : { gpu: { kind: kind.toUpperCase(), count: Number(count) } }),
  });
}
