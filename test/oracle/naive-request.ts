import { DateTime } from 'luxon';

/** What an answer depends on beside the events. */
export interface NaiveRequest {
  readonly startDate: string;
  readonly endDate: string;
  /** The last hour of the clock (0–23) that counts on the last day; all of them if undefined. */
  readonly lastHour?: number;
  readonly timezone: string;
  readonly granularity: 'daily' | 'hourly';
  readonly filters: readonly NaiveFilter[];
  /** Epoch ms. */
  readonly now: number;
}

export interface NaiveFilter {
  readonly field: string;
  readonly op: 'eq' | 'ne' | 'contains' | 'not_contains' | 'starts_with' | 'in' | 'not_in';
  readonly value: string | readonly string[];
}

/** The local date of an instant, or the local hour as a label. */
export function labelOf(at: number, timezone: string, granularity: 'daily' | 'hourly'): string {
  const local = DateTime.fromMillis(at, { zone: timezone });
  return granularity === 'daily' ? local.toFormat('yyyy-MM-dd') : local.toFormat('yyyy-MM-dd HH:00:00');
}

export const hourOf = (at: number, timezone: string): number => DateTime.fromMillis(at, { zone: timezone }).hour;

export function inRange(at: number, request: NaiveRequest): boolean {
  const { startDate, endDate, timezone, lastHour = 23 } = request;
  const day = labelOf(at, timezone, 'daily');
  if (day === endDate && hourOf(at, timezone) > lastHour) return false;
  return day >= startDate && day <= endDate;
}

/** Every bucket of the range up to the current one, found by walking through it in steps of 15 minutes. */
export function bucketLabels(request: NaiveRequest): string[] {
  const start = DateTime.fromISO(request.startDate, { zone: request.timezone }).startOf('day').minus({ hours: 26 });
  const labels: string[] = [];
  for (let at = Math.floor(start.toMillis() / 900_000) * 900_000; at <= request.now; at += 900_000) {
    if (!inRange(at, request)) {
      if (labels.length > 0) break;
      continue;
    }
    const label = labelOf(at, request.timezone, request.granularity);
    if (labels.at(-1) !== label) labels.push(label);
  }
  return labels;
}

/** Whether a value passes; several spellings of one value (a country's code and name) pass if one does. */
export function passes(filter: NaiveFilter, spellings: readonly string[], ignoreCase: boolean): boolean {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const values = (typeof filter.value === 'string' ? [filter.value] : filter.value).map(fold);
  const some = (test: (spelling: string, value: string) => boolean) =>
    spellings.map(fold).some((spelling) => values.some((value) => test(spelling, value)));
  switch (filter.op) {
    case 'eq':
    case 'in':
      return some((spelling, value) => spelling === value);
    case 'ne':
    case 'not_in':
      return !some((spelling, value) => spelling === value);
    case 'contains':
      return some((spelling, value) => spelling.includes(value));
    case 'not_contains':
      return !some((spelling, value) => spelling.includes(value));
    case 'starts_with':
      return some((spelling, value) => spelling.startsWith(value));
  }
}

export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100;

export const distinct = (values: readonly (string | null)[]): number =>
  new Set(values.filter((value) => value !== null)).size;

export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted.length === 0 ? null : sorted[Math.floor((sorted.length - 1) / 2)]!;
}

export const average = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
