import { scrollRange } from '@ledgerline/domain/sessions/scroll-ranges';
import { emptyRow } from '../fields';
import type { SessionColumns } from './session-columns';
import type { AggregateInMemory } from '../query-type';
import { distinctVisitors, groupBy, medianOf, placesOf, sizeOf, sumOf, visitorsOf, type Groups } from './groups';
import { viewsByPathOf } from './lists';
import { rankedRows } from './ranked-rows';

const SLOW = { visits: true, isSlow: true } as const;

/** How far pages are scrolled, in one row. */
export const scrollSummary: AggregateInMemory = {
  ...SLOW,
  rows(sessions) {
    const { scroll } = sessions.visits;
    const all = groupBy(new Int32Array(scroll.length), isKnown(scroll));
    const [row = emptyRow()] = countedBy(sessions, all, 'total_sessions');
    return Promise.resolve([{ ...row, scroll: sumOf(scroll, placesOf(all, 0)), scrolled: sizeOf(all, 0) }]);
  },
};

/** Sessions and visitors by the range of the depth that a page is scrolled to. */
export const scrollRanges: AggregateInMemory = {
  ...SLOW,
  rows(sessions) {
    const { scroll } = sessions.visits;
    const rows = countedBy(sessions, groupBy(scroll.map(scrollRange), isKnown(scroll)), 'sessions');
    const whole = rows.reduce((sum, row) => sum + row.sessions, 0);
    const ranges = rows.map(({ value, ...row }) => ({ ...row, place: value, whole }));
    return Promise.resolve(ranges.sort((a, b) => a.place - b.place));
  },
};

/** The same by page, with its page views. */
export const scrollByPath: AggregateInMemory = {
  ...SLOW,
  paths: true,
  rows(sessions, context, on) {
    const { paths, scroll } = sessions.visits;
    const views = new Map(viewsByPathOf(sessions).map(({ value, pageviews }) => [value, pageviews]));
    const groups = groupBy(paths, isKnown(scroll));
    const rows = countedBy(sessions, groups, 'sessions').map((row, group) => ({
      ...row,
      pageviews: views.get(row.value) ?? 0,
      scroll: sumOf(scroll, placesOf(groups, group)),
      scrolled: sizeOf(groups, group),
    }));
    return rankedRows(on, context, rows, { counts: ['visitors', 'sessions', 'pageviews'], share: 'visitors' });
  },
};

/** Visits of which the time is known, by page. */
export const timesByPath: AggregateInMemory = {
  ...SLOW,
  rows(sessions, context, on) {
    const { paths, timeMs } = sessions.visits;
    const groups = groupBy(paths, isKnown(timeMs));
    const times = new Float64Array(timeMs);
    const rows = countedBy(sessions, groups, 'sessions_with_time').map((row, group) => ({
      ...row,
      median_ms: medianOf(times, placesOf(groups, group)),
    }));
    return rankedRows(on, context, rows, { counts: ['sessions_with_time', 'visitors'], share: 'visitors' });
  },
};

/** Interactions of the sessions that report anything. */
export const interactions: AggregateInMemory = {
  ...SLOW,
  rows({ size, visits }) {
    const [total_sessions, interactive_sessions] = [visits.places.map(() => 1), visits.interactions].map((weights) => {
      const [sessions = 0] = distinctVisitors(groupBy(new Int32Array(weights.length), weights), visits.places, size);
      return sessions;
    });
    const sum = visits.interactions.reduce((total, count) => total + Math.max(count, 0), 0);
    return Promise.resolve([{ interactions: sum, total_sessions, interactive_sessions }]);
  },
};

/** What is known of the visits of each page. */
export function visitsByPath({ visits: { paths, timeMs, scroll, interactions: acted } }: SessionColumns) {
  const groups = groupBy(paths, new Uint8Array(paths.length).fill(1));
  return groups.values.map((value, group) => {
    const [time, depth, actions] = [timeMs, scroll, acted].map((column) => knownOf(column, placesOf(groups, group)));
    return {
      value,
      ...{ time_ms: time?.sum ?? 0, timed: time?.count ?? 0 },
      ...{ scroll: depth?.sum ?? 0, scrolled: depth?.count ?? 0 },
      ...{ interactions: actions?.sum ?? 0, interacted: actions?.count ?? 0 },
    };
  });
}

function knownOf(column: Int32Array, places: Int32Array): { sum: number; count: number } {
  const known = { sum: 0, count: 0 };
  for (const place of places) {
    const value = column[place] ?? -1;
    if (value < 0) continue;
    known.sum += value;
    known.count++;
  }
  return known;
}

/** TRICKY: a loop, as `Uint8Array.from` takes ten times longer. */
function isKnown(column: Int32Array): Uint8Array {
  const known = new Uint8Array(column.length);
  for (let at = 0; at < column.length; at++) known[at] = (column[at] ?? -1) >= 0 ? 1 : 0;
  return known;
}

/** The sessions, under this name, and the visitors of the visits of each group. */
function countedBy<Name extends string>(
  { visits: { places }, size, visitors, visitorCount }: SessionColumns,
  groups: Groups,
  name: Name,
) {
  const sessions = distinctVisitors(groups, places, size);
  const distinct = distinctVisitors(groups, visitorsOf(places, visitors), visitorCount);
  return groups.values.map((value, group) => {
    const counted = { [name]: sessions[group] ?? 0 } as Readonly<Record<Name, number>>;
    return { value, visitors: distinct[group] ?? 0, ...counted };
  });
}
