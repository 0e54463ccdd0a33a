import { HIT } from '@ledgerline/contracts/read-models/sessions';
import type { SqlRow } from '../fields';
import type { SessionColumns } from './session-columns';
import type { AggregateInMemory, QueryContext } from '../query-type';
import { boundsOf, stretchesOf } from '../sql/series';
import { distinctVisitors, groupBy, medianOf, placesOf, sumOf } from './groups';

/** Everything of the range in one row. */
export const summary: AggregateInMemory = {
  times: true,
  rows(sessions) {
    const { size, inRange, isCounted, visitors, visitorCount } = sessions;
    const all = new Int32Array(size);
    const viewed = groupBy(all, inRange.pageviews);
    const counted = groupBy(all, isCounted);
    const [unique = 0] = distinctVisitors(viewed, visitors, visitorCount);
    const pageviews = sumOf(inRange.pageviews, placesOf(viewed, 0));
    const actions = inRange.actions.reduce((sum, count) => sum + count, 0);
    const row = { ...sumsOf(sessions, placesOf(counted, 0)), pageviews, unique_visitors: unique, actions };
    return Promise.resolve([row]);
  },
};

/** The same by bucket, sessions by that of their first page view. */
export const series: AggregateInMemory = {
  times: true,
  hits: true,
  isSlow: true,
  async rows(sessions, context) {
    const { views, entered } = await inBuckets(sessions, context);
    const isBucket = (number: number) => (number > NO_BUCKET ? 1 : 0);
    const viewed = groupBy(views.buckets, views.buckets.map(isBucket));
    const visitors = distinctVisitors(viewed, views.visitors, sessions.visitorCount);
    const rows = new Map<number, SqlRow>();
    for (const [group, bucket] of viewed.values.entries()) {
      const pageviews = sumOf(views.counts, placesOf(viewed, group));
      rows.set(bucket, { bucket, ...sumsOf(sessions, NO_PLACES), pageviews, visitors: visitors[group] ?? 0 });
    }
    const counted = groupBy(entered, entered.map(isBucket));
    for (const [group, bucket] of counted.values.entries()) {
      const known = rows.get(bucket) ?? { pageviews: 0, visitors: 0 };
      rows.set(bucket, { ...known, bucket, ...sumsOf(sessions, placesOf(counted, group)) });
    }
    return [...rows.values()];
  },
};

const NO_PLACES = new Int32Array();

/** What counted sessions add up to. */
function sumsOf({ durationMs, pageviews, actions, bounced }: SessionColumns, places: Int32Array) {
  return {
    sessions: places.length,
    bounces: sumOf(bounced, places),
    duration_ms: sumOf(durationMs, places),
    session_events: sumOf(pageviews, places) + sumOf(actions, places),
    median_ms: medianOf(durationMs, places),
  };
}

/** The number (from 1) of the stretch an instant lies in; before and after all of them are numbers of their own. */
function stretchIn(bounds: Float64Array, at: number): number {
  let low = 0;
  let high = bounds.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bounds[middle] ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface InBuckets {
  /** Page views: those of a session that lies in one bucket at once, all others one by one. */
  readonly views: { readonly buckets: Int32Array; readonly visitors: Int32Array; readonly counts: Int32Array };
  /** The bucket of the first page view of each session. */
  readonly entered: Int32Array;
}

const NOT_FOUND = -1;
const NO_BUCKET = 0;

async function inBuckets(sessions: SessionColumns, context: QueryContext): Promise<InBuckets> {
  const { size, visitors, pageviews, firstAt, durationMs } = sessions;
  const bounds = Float64Array.from(boundsOf(context));
  const bucketOf = [NO_BUCKET, ...stretchesOf(context).map(({ bucket }) => bucket)];
  const entered = new Int32Array(size);
  const across: number[] = [];
  for (let place = 0; place < size; place++) {
    const first = firstAt[place] ?? 0;
    const stretch = stretchIn(bounds, first);
    entered[place] = bucketOf[stretch] ?? NO_BUCKET;
    const until = bounds[stretch] ?? Infinity;
    if (first + (durationMs[place] ?? 0) >= until) across.push(place); // perhaps: it may be longer than the events
  }
  const single = (await sessions.loadHits(across)).filter(({ kind }) => kind === HIT.view);
  const [buckets, owners] = [new Int32Array(size + single.length), new Int32Array(size + single.length)];
  const counts = new Int32Array(size + single.length).fill(1, size);
  buckets.set(entered);
  owners.set(visitors);
  counts.set(pageviews);
  for (const place of across) buckets[place] = entered[place] = NOT_FOUND;
  for (const [nth, { place, at }] of single.entries()) {
    const bucket = (buckets[size + nth] = bucketOf[stretchIn(bounds, at)] ?? NO_BUCKET);
    owners[size + nth] = visitors[place] ?? -1;
    if (entered[place] === NOT_FOUND) entered[place] = bucket; // hits are in order
  }
  return { views: { buckets, visitors: owners, counts }, entered };
}
