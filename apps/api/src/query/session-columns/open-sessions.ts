import { emptySql, identifier, joinSql, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { Queryable } from '@ledgerline/platform/database/pool';
import {
  readSessionSlices,
  type SessionSlice,
  type WantedColumns,
} from '@ledgerline/platform/session-days/session-chunks';
import { instant, type Span } from '../sql/series';
import { matches } from '../sql/sessions';
import type { SealedDays, Selecting } from './day-rows';
import { isAboutPages } from './select-units';

const DAY_MS = 86_400_000;

/** The sessions that may be selected and began on days that are not sealed. */
export async function readOpenSessions(
  on: Queryable,
  selecting: Selecting,
  { days }: SealedDays,
  wanted: WantedColumns,
): Promise<readonly SessionSlice[]> {
  const spans = openSpans(days, selecting.to);
  if (spans.length === 0) return [];
  const began = spans.map(({ from, to }) => sql`s.first_at >= ${instant(from)} and s.first_at < ${instant(to)}`);
  const where = sql` and s.last_at >= ${instant(selecting.from)} and (${joinSql(began, ' or ')})${ofAttributes(selecting)}`;
  return readSessionSlices(on, { ...selecting, where }, wanted);
}

/** The time up to the end of a range that sealed days, which are in order, leave. */
function openSpans(days: Int32Array, end: number): readonly Span[] {
  const begins = [0, ...Array.from(days, (day) => (day + 1) * DAY_MS)];
  const ends = [...Array.from(days, (day) => day * DAY_MS), end];
  return begins.map((from, at) => ({ from, to: Math.min(ends[at] ?? end, end) })).filter(({ from, to }) => from < to);
}

/** Only what is quick to decide: what is read is selected like all sessions. */
function ofAttributes({ filters }: Selecting): Sql {
  const conditions = filters
    .filter((filter) => !isAboutPages(filter))
    .map((filter) => sql` and ${matches(identifier('s', filter.field), filter)}`);
  return conditions.length === 0 ? emptySql : joinSql(conditions, '');
}
