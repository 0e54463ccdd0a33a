import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn, textIn } from '../../found';
import { byCounts, websiteList, type Description, type QueryType } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn } from '../../sql/facts';
import { ranked } from '../../sql/ranked';
import { rankedByDays } from '../../sql/ranked-by-days';
import { byAttribute, NAME } from './dimension';
import { WEBSITE_FILTERS } from './filters';

interface Declared extends Pick<Description, 'name' | 'meaning'> {
  readonly reads: ReadModel;
  readonly column: string;
}

const COUNTS = ['sessions', 'visitors'];

/** Sessions by their first page view in range, visitors by page views in range, of each value that has sessions. */
export function sessionsBy({ reads, column, ...description }: Declared): QueryType<WebsiteQuestion> {
  const value = identifier('s', column);
  return websiteList({
    ...description,
    category: 'Sessions',
    publicAccess: false,
    allowedFilters: WEBSITE_FILTERS,
    fields: { ...NAME.fields, sessions: count, visitors: count },
    order: byCounts(COUNTS, 'name'),
    answers: {
      days: (question) => rankedByDays(question, { reads, by: 'sessions', withMissing: true }),
      facts: (question) =>
        ranked(
          sql`
  select visits.value, visits.sessions, coalesce(views.visitors, 0) as visitors
  from (
    select ${value} as value, count(*) as sessions
    from ${countedSessionsIn(question, question.from, question.to)} group by 1
  ) visits
  left join (${byAttribute(column)(question)}) views on views.grouped = visits.value`,
          COUNTS,
          'visitors',
          question,
        ),
    },
    row: (found) => ({
      ...NAME.of(textIn(found, 'word')),
      sessions: numberIn(found, 'sessions'),
      visitors: numberIn(found, 'visitors'),
    }),
  });
}
