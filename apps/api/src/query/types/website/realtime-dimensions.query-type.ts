import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { count, textIn } from '../../fields';
import { byCounts, queryType, type QueryType } from '../../query-type';
import { lastFiveMinutes } from '../../sql/last-minutes';
import { ranked } from '../../sql/ranked';
import { viewsByAttribute, viewsByPath, type Counting } from '../../sql/views';
import { COUNTRY, NAME, only, REFERRER, type Labels } from './labels';

interface Dimension extends Pick<QueryType, 'name' | 'description'> {
  readonly by: Counting;
  readonly labels: Labels;
}

const DIMENSIONS: readonly Dimension[] = [
  { name: 'realtime_pages', description: 'Pages viewed in the last five minutes', by: viewsByPath, labels: NAME },
  {
    name: 'realtime_referrers',
    description: 'Traffic sources of the page views of the last five minutes, with direct visits as Direct',
    by: viewsByAttribute('referrer'),
    labels: only(REFERRER, 'name'),
  },
  {
    name: 'realtime_countries',
    description: 'Countries of the page views of the last five minutes',
    by: viewsByAttribute('country'),
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
      facts: (context) => ranked(named(by({ ...context, ...lastFiveMinutes(context) })), COUNTS, 'visitors', context),
    },
    row: (found) => labels.of(textIn(found, 'text')),
  }),
);

const named = (counted: Sql): Sql => sql`
  select grouped as value, pageviews, visitors
  from (${counted}) counted`;
