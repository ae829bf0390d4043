import type { PriceList } from '@petasos/core/backend';

/** Per vCPU, GiB of memory and GiB of disk, while a sandbox runs. */
export const prices: PriceList = {
  asOf: '2026-05-25',
  source: 'https://www.daytona.io/pricing, at second hand',
  perSecondUsd: { cpu: 0.000014, memoryGiB: 0.0000045, diskGiB: 0.00000003 },
  freeDiskGiB: 5,
};
