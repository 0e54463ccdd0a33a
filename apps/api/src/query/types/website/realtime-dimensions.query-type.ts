import { HIT } from '@ledgerline/contracts/read-models/sessions';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, textIn } from '../../fields';
import { byCounts, queryType, type QueryContext, type QueryType } from '../../query-type';
import { lastFiveMinutes } from '../../sql/last-minutes';
import { ranked } from '../../sql/ranked';
import { hitsIn } from '../../sql/sessions';
import { COUNTRY, NAME, only, REFERRER, type Labels } from '../../labels';

interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  readonly by: 'path' | 'referrer' | 'country';
  readonly labels: Labels;
}

const DIMENSIONS: readonly Dimension[] = [
  { name: 'realtime_pages', description: 'Pages viewed in the last five minutes', by: 'path', labels: NAME },
  {
    name: 'realtime_referrers',
    description: 'Traffic sources of the page views of the last five minutes, with direct visits as Direct',
    by: 'referrer',
    labels: only(REFERRER, 'name'),
  },
  {
    name: 'realtime_countries',
    description: 'Countries of the page views of the last five minutes',
    by: 'country',
    labels: only(COUNTRY, 'name'),
  },
];

const COUNTS = ['pageviews', 'visitors'];

/** Page views and visitors of the last five minutes by one dimension, whatever dates are asked for. */
export const realtimeDimensions: readonly QueryType[] = DIMENSIONS.map(({ name, description, by, labels }) =>
  queryType({
    name,
    about: 'website',
    shape: 'list',
    category: 'Realtime',
    isAboutNow: true,
    description,
    fields: { ...labels.fields, pageviews: count, visitors: count },
    order: byCounts(COUNTS, 'name'),
    sources: {
      facts: (context) => ranked(views(context, by), COUNTS, 'visitors', context),
    },
    row: (found) => labels.of(textIn(found, 'text')),
  }),
);

/** Page views by their own path or by an attribute that only a session has. */
function views(context: QueryContext, by: Dimension['by']): Sql {
  const hits = hitsIn(context, lastFiveMinutes(context), {
    kind: sql`h.kind = ${HIT.view}`,
    of: by === 'path' ? sql`s.visitor` : sql`s.visitor, ${identifier('s', by)} as value`,
    columns: by === 'path' ? ['path'] : [],
    where: by === 'path' ? emptySql : sql` and s.entered_at is not null`,
  });
  const value = by === 'path' ? sql`h.path` : sql`h.value`;
  return sql`
  select ${value} as value, count(*) as pageviews, count(distinct h.visitor) as visitors from ${hits}
  group by 1`;
}
