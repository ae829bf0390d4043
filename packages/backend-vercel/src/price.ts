import type { PriceList } from '@petasos/core/backend';

/** As if every processor were busy all the time: Vercel charges for the time in which they are. Traffic and snapshots come on top. */
export const prices: PriceList = {
  asOf: '2025-11-26',
  source: 'https://vercel.com/docs/vercel-sandbox/pricing, at second hand',
  perSecondUsd: { cpu: 0.128 / 3600, memoryGiB: 0.0212 / 3600 },
};
