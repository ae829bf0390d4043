import type { Cost } from '../contract/index.js';

/** What a service takes for one second of each unit, in US dollars, as it said on a day. */
export interface PriceList {
  /** The day on which it was read, `YYYY-MM-DD`. */
  readonly asOf: string;
  /** Page where it stood. */
  readonly source: string;
  readonly perSecondUsd: {
    readonly cpu: number;
    readonly memoryGiB: number;
    readonly diskGiB?: number | undefined;
    /** By the service's name of the device. */
    readonly gpu?: Readonly<Record<string, number>> | undefined;
  };
  /** Units of disk that cost nothing. */
  readonly freeDiskGiB?: number | undefined;
}

export interface Resources {
  readonly cpus?: number | undefined;
  readonly memoryMiB?: number | undefined;
  readonly diskGiB?: number | undefined;
  readonly gpu?: { readonly kind: string; readonly count: number } | undefined;
}

/** What a sandbox of these resources costs while it runs: an estimate by the list. Without a price for its device it has no number. */
export function estimateCost(list: PriceList, resources: Resources): Cost {
  const { asOf, source, perSecondUsd: price } = list;
  const gpu = resources.gpu && price.gpu?.[resources.gpu.kind];
  if (resources.gpu && gpu === undefined) return { class: 'metered', asOf, source };
  const disk = Math.max(0, (resources.diskGiB ?? 0) - (list.freeDiskGiB ?? 0));
  const perSecond =
    (resources.cpus ?? 0) * price.cpu +
    ((resources.memoryMiB ?? 0) / 1024) * price.memoryGiB +
    disk * (price.diskGiB ?? 0) +
    (resources.gpu?.count ?? 0) * (gpu ?? 0);
  return { class: 'metered', perHourUsd: Number((perSecond * 3600).toPrecision(4)), asOf, source };
}
