import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { durationRange } from '@ledgerline/domain/sessions/duration-ranges';
import type { Attribute } from '@ledgerline/domain/sessions/session';
import type { SessionColumns } from './session-columns';
import type { AggregateInMemory } from '../query-type';
import { distinctVisitors, groupBy, placesOf, sizeOf, sumOf, visitorsOf } from './groups';
import { rankedRows } from './ranked-rows';

interface Views {
  readonly value: number;
  readonly pageviews: number;
  readonly visitors: number;
}

const BY_VIEWS = { counts: ['pageviews', 'visitors'], share: 'visitors' } as const;

/** Page views by an attribute of their session. */
export const viewsBy = (column: Attribute, withoutMissing = false): AggregateInMemory => ({
  columns: [column],
  rows: (sessions, context, on) => {
    const views = viewsByAttribute(sessions, column).filter(({ value }) => !withoutMissing || value !== NO_TEXT);
    return rankedRows(on, context, views, BY_VIEWS);
  },
});

/** Page views by their path. */
export const viewsByPath: AggregateInMemory = {
  paths: true,
  isSlow: true,
  rows: (sessions, context, on) => rankedRows(on, context, viewsByPathOf(sessions), BY_VIEWS),
};

/** The same before they are ranked. */
export function viewsByPathOf({ views, visitors, visitorCount }: SessionColumns): readonly Views[] {
  const groups = groupBy(views.paths, new Uint8Array(views.paths.length).fill(1));
  const distinct = distinctVisitors(groups, visitorsOf(views.places, visitors), visitorCount);
  return groups.values.map((value, group) => {
    return { value, pageviews: sizeOf(groups, group), visitors: distinct[group] ?? 0 };
  });
}

/** Counted sessions by their entry or exit page, as page views. */
export const sessionsByPage = (column: 'entry_path' | 'exit_path'): AggregateInMemory => ({
  columns: [column],
  rows: (sessions, context, on) => {
    const rows = countedBy(sessions, sessions.column(column));
    return rankedRows(
      on,
      context,
      rows.map(({ sessions: pageviews, ...row }) => ({ ...row, pageviews })),
      BY_VIEWS,
    );
  },
});

/** Counted sessions by an attribute, with the visitors of the page views that have it. */
export const sessionsBy = (column: Attribute): AggregateInMemory => ({
  columns: [column],
  rows: (sessions, context, on) => {
    const views = new Map(viewsByAttribute(sessions, column).map((row) => [row.value, row]));
    const counted = countedBy(sessions, sessions.column(column));
    const rows = counted.map((row) => ({ ...row, visitors: views.get(row.value)?.visitors ?? 0 }));
    return rankedRows(on, context, rows, { counts: ['sessions', 'visitors'], share: 'visitors' });
  },
});

/** Counted sessions by the range of their duration, the shortest first. */
export const sessionsByDuration: AggregateInMemory = {
  times: true,
  rows: (sessions) => {
    const ranges = new Int32Array(sessions.durationMs.map(durationRange));
    const rows = countedBy(sessions, ranges).map(({ value, ...row }) => ({ ...row, place: value }));
    return Promise.resolve(rows.sort((a, b) => a.place - b.place));
  },
};

function viewsByAttribute({ inRange, visitors, visitorCount, column }: SessionColumns, name: Attribute): Views[] {
  const groups = groupBy(column(name), inRange.pageviews);
  const distinct = distinctVisitors(groups, visitors, visitorCount);
  return groups.values.map((value, group) => {
    return { value, pageviews: sumOf(inRange.pageviews, placesOf(groups, group)), visitors: distinct[group] ?? 0 };
  });
}

function countedBy({ isCounted, visitors, visitorCount }: SessionColumns, by: Int32Array) {
  const groups = groupBy(by, isCounted);
  const distinct = distinctVisitors(groups, visitors, visitorCount);
  return groups.values.map((value, group) => {
    return { value, sessions: sizeOf(groups, group), visitors: distinct[group] ?? 0 };
  });
}
