import type { Unit } from '@ledgerline/contracts/read-models/session-days';
import type { Question, SessionCounting } from '../query-type';
import { valuesAtRanks } from './ranks';
import type { Table } from './tables';

/**
 * For a list of single units, newest first or as it is sorted, that is read from facts: the times (`at`) of those on the
 * page, how many of the first time come on earlier pages (`skipped`), and how many there are in all.
 */
export const singles = (unit: Unit): SessionCounting => ({
  units: [unit],
  count: (sessions, question) => timesOfPage(Float64Array.from(sessions.units(unit).field('at')), question),
});

function timesOfPage(at: Float64Array, { page: { page, limit }, sort }: Question): Table {
  const sign = sort?.direction === 'asc' ? 1 : -1;
  const values = at.map((time) => sign * time);
  const begin = (page - 1) * limit;
  if (begin >= at.length) return tableOf(at.length === 0 ? [] : [NaN], 0, at.length);
  const [first = 0, last = 0] = valuesAtRanks(values, [begin, Math.min(begin + limit, at.length) - 1]);
  const times = new Set<number>();
  let skipped = begin;
  for (const value of values) {
    if (value < first) skipped--;
    else if (value <= last) times.add(sign * value);
  }
  return tableOf([...times], skipped, at.length);
}

function tableOf(times: readonly number[], skipped: number, total: number): Table {
  const every = (value: number) => new Float64Array(times.length).fill(value);
  const columns = { at: Float64Array.from(times), skipped: every(skipped), total_rows: every(total) };
  return { size: times.length, columns };
}
