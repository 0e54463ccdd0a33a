import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { NO_WORD } from '@ledgerline/contracts/read-models/words';
import { percentage } from '@ledgerline/domain/query/rows';
import { identifier, sql, emptySql, type Sql } from '@ledgerline/platform/database/sql';
import { count, percent, text, type Fields } from '../../fields';
import { numberIn, textIn } from '../../found';
import { byCounts, websiteList, type Description, type QueryType } from '../../query-type';
import type { WebsiteQuestion } from '../../question';
import { countedSessionsIn } from '../../sql/facts';
import { ranked } from '../../sql/ranked';
import { rankedByDays } from '../../sql/ranked-by-days';
import { pageViews, pathViews, viewsByGroup } from '../../sql/views';
import { WEBSITE_FILTERS } from './filters';

/** What is known of a value beside its counts; the first of its fields is the name rows are sorted by. */
export type Labels = Readonly<Record<string, string>>;

interface Dimension extends Pick<Description, 'name' | 'category' | 'meaning'> {
  readonly reads: ReadModel;
  readonly by: Counting;
  readonly publicAccess?: boolean;
  readonly percentage?: boolean;
  /** False: rows of values that are missing are left out. */
  readonly withMissing?: boolean;
  readonly labels?: Labelling;
}

/** Counts from facts as (grouped, pageviews, visitors). */
export type Counting = (question: WebsiteQuestion) => Sql;

export interface Labelling {
  readonly fields: Fields;
  /** The labels of a word; '' is the missing value. */
  readonly of: (word: string) => Labels;
}

const COUNTS = ['pageviews', 'visitors'];

/** Page views and visitors by the value of one dimension: a page's path, or an attribute of the session. */
export function dimension(declared: Dimension): QueryType<WebsiteQuestion> {
  const { reads, by, publicAccess = true, withMissing = true, labels = NAME, ...description } = declared;
  const withPercentage = declared.percentage ?? true;
  const present = withMissing ? emptySql : sql` and value <> ${NO_WORD}`;
  return websiteList({
    ...description,
    publicAccess,
    allowedFilters: WEBSITE_FILTERS,
    fields: { ...labels.fields, pageviews: count, visitors: count, ...(withPercentage ? { percentage: percent } : {}) },
    order: byCounts(COUNTS, ...Object.keys(labels.fields)),
    answers: {
      days: (question) => rankedByDays(question, { reads, by: 'pageviews', withMissing }),
      facts: (question) =>
        ranked(
          sql`
  select * from (
    select grouped as value, pageviews, visitors
    from (${by(question)}) counted
  ) named where true${present}`,
          COUNTS,
          'visitors',
          question,
        ),
    },
    row: (found) => ({
      ...labels.of(textIn(found, 'word')),
      pageviews: numberIn(found, 'pageviews'),
      visitors: numberIn(found, 'visitors'),
      ...(withPercentage ? { percentage: percentage(numberIn(found, 'visitors'), numberIn(found, 'whole')) } : {}),
    }),
  });
}

/** By an attribute that a session has as a whole. */
export const byAttribute = (column: string): Counting => {
  const value = identifier('s', column);
  return (question) =>
    viewsByGroup(pageViews(question, question.from, question.to, value, sql` and s.entered_at is not null`));
};

/** By the path of each page view. */
export const byPath: Counting = (question) => viewsByGroup(pathViews(question, question.from, question.to));

/** Sessions by their entry or exit page. */
export const bySession =
  (column: 'entry_path' | 'exit_path'): Counting =>
  (question) => sql`
  select ${identifier('s', column)} as grouped, count(*) as pageviews, count(distinct s.visitor) as visitors
  from ${countedSessionsIn(question, question.from, question.to)}
  group by 1`;

export const UNKNOWN = 'Unknown';

/** The word itself, or Unknown. */
export const NAME: Labelling = { fields: { name: text }, of: (word) => ({ name: word === '' ? UNKNOWN : word }) };
