import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareQueries, either, milliseconds } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import { LINK_DIMENSIONS } from '../projections/links/link.projections';
import type { WrittenTables } from '../projections/written-tables';
import { keyOf, type Finding, type SubjectDay } from './findings';
import { answeringTable } from './live-partition';
import type { EventCount } from './log-counts';

/** The tables that add up clicks. */
export const CLICK_SUMS = [linkClicks15min, ...Object.values(LINK_DIMENSIONS).map(([model]) => model)];

interface Rollup {
  readonly model: ReadModel;
  readonly sum: 'clicks' | 'visitors';
  /** The query of its rows, from `blocks` or `visits`. */
  readonly expected: string;
}

const DAY_MS = 86_400_000;
const BLOCK = ['link_id', 'span', 'start_15min'];
const SPANS = `unnest('{${LINK_SPANS.join(', ')}}'::smallint[]) as span`;
const START = 'to_timestamp(floor(place / span::float8) * span * 900)';

/** Each from the clicks of the facts. */
const ROLLUPS: readonly Rollup[] = [
  { model: linkClicks15min, sum: 'clicks', expected: counted('blocks', BLOCK) },
  ...Object.entries(LINK_DIMENSIONS).map(([column, [model]]) => {
    const value = `${identifier(column).text} as value`;
    return { model, sum: 'clicks', expected: counted('blocks', [...BLOCK, value]) } as const;
  }),
  { model: linkClicks15min, sum: 'visitors', expected: counted('visits', BLOCK) },
  {
    model: linkReturns,
    sum: 'visitors',
    expected: counted('visits', [...BLOCK, 'to_timestamp(previous * 900) as previous_15min'], 'previous is not null'),
  },
];

function counted(from: 'blocks' | 'visits', columns: readonly string[], where = 'true'): string {
  const places = columns.map((_, at) => at + 1).join(', ');
  return `select ${columns.join(', ')}, count(*) from ${from} where ${where} group by ${places}`;
}

/** Blocks of clicks in a stretch of time, and of the intervals in which a visitor clicked, with the one before them. */
const sources = (facts: string) => `
  with clicks as (
    select *, floor(extract(epoch from at) / 900)::bigint as place from ${facts} where link_id = any($1)
  ), blocks as (
    select *, ${START} as start_15min from clicks cross join ${SPANS} where at >= $2 and at < $3
  ), intervals as (
    select link_id, place, lag(place) over (partition by link_id, actor order by place) as previous
    from (select distinct link_id, actor, place from clicks where actor <> id) seen
  ), visits as (
    select link_id, span, ${START} as start_15min, previous from intervals cross join ${SPANS}
    where (previous is null or previous < floor(place / span::float8) * span)
      and place >= extract(epoch from $2::timestamptz) / 900 and place < extract(epoch from $3::timestamptz) / 900
  )`;

/** All links of some days, and the stretch of time that these lie in. */
function stretchOf(days: readonly SubjectDay[]): readonly [links: readonly string[], begin: Date, end: Date] {
  const since = days.reduce((first, { day }) => Math.min(first, day), Infinity);
  const until = days.reduce((last, { day }) => Math.max(last, day), -Infinity);
  const links = [...new Set(days.map(({ subject }) => subject))];
  return [links, new Date(since * DAY_MS), new Date((until + 1) * DAY_MS)];
}

/** The clicks that are stored of days, by {@link keyOf}. */
export async function countClicks(
  on: Queryable,
  { state }: WrittenTables,
  days: readonly SubjectDay[],
): Promise<ReadonlyMap<string, EventCount>> {
  const text = `select link_id as subject, floor(extract(epoch from at) / 86400)::float8 as day,
      count(*)::float8 as events, sum(mod((extract(epoch from at) * 1000)::bigint, ${DAY_MS}))::float8 as times
    from ${identifier(state, linkClicks.name).text} where link_id = any($1) and at >= $2 and at < $3 group by 1, 2`;
  const rows = await run<EventCount & SubjectDay>(on, { text, values: stretchOf(days) });
  return new Map(rows.map((row) => [keyOf(row), row]));
}

/** Compares what the tables add up of some links with their clicks. */
export async function compareLinkRollups(
  on: Queryable,
  tables: WrittenTables,
  days: readonly SubjectDay[],
): Promise<readonly Finding[]> {
  const facts = sources(identifier(tables.state, linkClicks.name).text);
  const findings: Finding[] = [];
  for (const { model, sum, expected } of ROLLUPS) {
    const answering = answeringTable(tables, model);
    if (!answering || !(sum in answering.model.columns)) continue;
    const { keys } = mergeRolesOf(model);
    const columns = keys.map((name) => identifier(name).text).join(', ');
    const found = await compareQueries(on, {
      keys,
      at: `floor(${milliseconds('start_15min')} / ${DAY_MS})`,
      subject: either('link_id'),
      expected: `${facts} select ${columns}, count as ${sum} from (${expected}) counted`,
      stored: `select ${columns}, ${sum}::bigint as ${sum} from ${answering.table}
        where link_id = any($1) and start_15min >= $2 and start_15min < $3 and ${sum} <> 0`,
      values: stretchOf(days),
    });
    for (const { at: day, subject, ...difference } of found)
      findings.push({ subject: subject ?? '', day, table: model.name, ...difference });
  }
  return findings;
}
