import { DateTime } from 'luxon';
import { dateOf, hourOf, type NaiveRequest } from './naive-request';
import type { Row } from './naive-website-answers';

export type NaiveComparison = 'previous_period' | 'previous_year';

/** The request for the range that another is compared with: of one that is not over, the part up to the same hour. */
export function earlierRequest(request: NaiveRequest, comparison: NaiveComparison): NaiveRequest {
  const [start, end] = [request.startDate, request.endDate].map((day) => DateTime.fromISO(day, { zone: 'utc' }));
  const days = end!.diff(start!, 'days').days + 1;
  const by = comparison === 'previous_year' ? { years: 1 } : { days };
  const earlier = (day: string) => DateTime.fromISO(day, { zone: 'utc' }).minus(by).toISODate()!;
  if (request.from !== undefined && request.to !== undefined) {
    const before = (at: number) => at - (comparison === 'previous_year' ? daysOfYear : 1) * 86_400_000;
    const daysOfYear = start!.diff(start!.minus({ years: 1 }), 'days').days;
    const from = before(request.from);
    const to = before(request.to);
    const { timezone } = request;
    return { ...request, from, to, startDate: dateOf(from, timezone), endDate: dateOf(to - 1, timezone) };
  }
  const whole = { ...request, startDate: earlier(request.startDate), endDate: earlier(request.endDate) };
  const today = dateOf(request.now, request.timezone);
  if (today < request.startDate || today > request.endDate) return whole;
  return { ...whole, endDate: earlier(today), lastHour: hourOf(request.now, request.timezone) };
}

/** Each row with the numbers of the earlier row of the same name, or of the earlier bucket at the same place. */
export function compared(rows: readonly Row[], earlier: readonly Row[], isSeries: boolean): Row[] {
  const now = placesOf(rows);
  const then = placesOf(earlier);
  return rows.map((row, at) => {
    const before = earlier.find(
      (other, place) => nameOf(other) === nameOf(row) && (!isSeries || then[place] === now[at]),
    );
    const numbers = Object.keys(row).filter((field) => isNumber(field, row[field]));
    const previous = Object.fromEntries(numbers.map((field) => [field, before ? before[field] : empty(field)]));
    const change = Object.fromEntries(numbers.map((field) => [field, percentOf(row[field], previous[field])]));
    return { ...row, previous, change_percent: change };
  });
}

/** By the change of the count that rows are ordered by, or of their first one; unknown changes last, equal ones as they were. */
export function sortedByChange(rows: readonly Row[], ordered: string | undefined, direction: 'asc' | 'desc'): Row[] {
  const change = (row: Row) => {
    const count =
      ordered !== undefined && typeof row[ordered] === 'number'
        ? ordered
        : Object.keys(row).find((field) => typeof row[field] === 'number')!;
    return (row['change_percent'] as Row)[count] as number | null;
  };
  const known = rows.filter((row) => change(row) !== null);
  const sign = direction === 'asc' ? 1 : -1;
  return [...known.sort((a, b) => sign * (change(a)! - change(b)!)), ...rows.filter((row) => change(row) === null)];
}

/** The place of the bucket of each row; several rows of one bucket follow each other. */
function placesOf(rows: readonly Row[]): number[] {
  let place = 0;
  return rows.map((row, at) => (at > 0 && rows[at - 1]!['date'] !== row['date'] ? ++place : place));
}

/** Fields that are null where there is nothing to take them of. */
const MAY_BE_NULL = /^(median|avg|p\d\d|numeric_sum|numeric_average)/;

const isNumber = (field: string, value: unknown) => typeof value === 'number' || MAY_BE_NULL.test(field);
const empty = (field: string) => (MAY_BE_NULL.test(field) ? null : 0);

const NO_NAMES = /^date$|occurrence|last_|target|top_/;

/** Times and the latest text of a link are no part of its name. */
const nameOf = (row: Row): string =>
  typeof row['href'] === 'string'
    ? row['href']
    : Object.entries(row)
        .filter(([field, value]) => typeof value === 'string' && !NO_NAMES.test(field))
        .map(([, value]) => value as string)
        .join('|');

function percentOf(now: unknown, before: unknown): number | null {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return null;
  return Number((((now - before) * 100) / before).toFixed(2));
}
