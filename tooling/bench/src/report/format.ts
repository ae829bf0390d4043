import type { Bar, Figure } from '../row.js';

const digits = (value: number) => (Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);

/** Three significant digits are all that a shared machine supports. */
export const number = (value: number): string => value.toFixed(digits(value));

export function figureText({ value, unit }: Figure): string {
  return unit === '×' ? `${number(value)} ×` : `${number(value)} ${unit}`;
}

export function barText(bar: Bar, unit: Figure['unit']): string {
  return 'atMost' in bar ? `≤ ${bar.atMost} ${unit}` : `≥ ${bar.atLeast} ${unit}`;
}

/** `1 Ki`, `10 k`: short enough for an axis. */
export function axisNumber(value: number): string {
  if (value >= 1024 && Number.isInteger(Math.log2(value))) {
    const steps = ['', 'Ki', 'Mi', 'Gi'];
    const power = Math.min(Math.floor(Math.log2(value) / 10), steps.length - 1);
    return `${value / 1024 ** power} ${steps[power]}`;
  }
  if (value >= 1000) return `${value / 1000} k`;
  return value >= 1 ? String(Number(value.toFixed(1))) : String(Number(value.toPrecision(1)));
}
