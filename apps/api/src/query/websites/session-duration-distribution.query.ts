import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, text } from '../fields';
import { numberIn } from '../found';
import { websiteList } from '../query-type';
import type { WebsiteQuestion } from '../question';
import { countedSessionsIn } from '../sql/facts';
import { WEBSITE_FILTERS } from './filters';

/** Where the ranges begin, in ms. */
const RANGES: readonly { name: string; from: number }[] = [
  { name: '0-10s', from: 0 },
  { name: '10-30s', from: 10_000 },
  { name: '30-60s', from: 30_000 },
  { name: '1-3m', from: 60_000 },
  { name: '3-10m', from: 180_000 },
  { name: '10-30m', from: 600_000 },
  { name: '30m+', from: 1_800_000 },
];

export const sessionDurationDistribution = websiteList({
  name: 'session_duration_distribution',
  category: 'Sessions',
  meaning: 'Sessions and their visitors by duration, shortest first; ranges without sessions are left out',
  publicAccess: false,
  allowedFilters: WEBSITE_FILTERS,
  fields: { duration_range: text, sessions: count, visitors: count },
  order: [],
  answers: { facts: fromFacts },
  row: (found) => ({
    duration_range: RANGES[numberIn(found, 'place') - 1]?.name,
    sessions: numberIn(found, 'sessions'),
    visitors: numberIn(found, 'visitors'),
  }),
});

function fromFacts(question: WebsiteQuestion): Sql {
  return sql`
select width_bucket(s.duration_ms, ${RANGES.map(({ from }) => from)}::bigint[]) as place,
  count(*)::float8 as sessions, count(distinct s.visitor)::float8 as visitors
from ${countedSessionsIn(question, question.from, question.to)}
group by 1 order by 1`;
}
