import { LINK_SPANS } from '@ledgerline/contracts/read-models/blocks';
import { linkClicks, linkClicks15min, linkReturns } from '@ledgerline/contracts/read-models/links';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareQueries, either, milliseconds } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { LINK_DIMENSIONS } from '../projections/links/link.projections';
import type { WrittenTables } from '../projections/written-tables';
import type { Finding, SubjectDay } from './findings';
import { answeringTable } from './live-partition';

/** Some links or monitors, and a stretch of whole days of UTC. */
export interface Stretch {
  readonly subjects: readonly string[];
  readonly times: readonly [begin: Date, end: Date];
}

interface Rollup {
  readonly model: ReadModel;
  readonly sum: 'clicks' | 'visitors';
  /** The query of its rows, from `blocks` or `visits`. */
  readonly expected: string;
}

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

/**
 * Compares what the tables add up of some links with their clicks. A click that is repeated in the log is one in the
 * facts, and several in the sums of its day.
 */
export async function compareLinkRollups(
  on: Queryable,
  tables: WrittenTables,
  { subjects, times }: Stretch,
  isRepeated: (day: SubjectDay) => boolean,
): Promise<Finding[]> {
  const facts = sources(identifier(tables.state, linkClicks.name).text);
  const findings: Finding[] = [];
  for (const { model, sum, expected } of ROLLUPS) {
    const answering = answeringTable(tables, model);
    if (!answering || !(sum in answering.model.columns)) continue;
    const keys = Object.keys(model.columns).filter((name) => model.columns[name]?.merge === 'key');
    const columns = keys.map((name) => identifier(name).text).join(', ');
    const found = await compareQueries(on, {
      keys,
      at: milliseconds('start_15min'),
      subject: either('link_id'),
      expected: `${facts} select ${columns}, count as ${sum} from (${expected}) counted`,
      stored: `select ${columns}, ${sum}::bigint as ${sum} from ${answering.table}
        where link_id = any($1) and start_15min >= $2 and start_15min < $3 and ${sum} <> 0`,
      values: [subjects, ...times],
    });
    for (const { at, subject, ...difference } of found) {
      const of = { subject: subject ?? '', day: Math.floor(at / 86_400_000) };
      if (sum === 'visitors' || !isRepeated(of)) findings.push({ ...of, table: model.name, ...difference });
    }
  }
  return findings;
}
