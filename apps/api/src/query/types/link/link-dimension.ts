import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { count } from '../../fields';
import { numberIn, textIn } from '../../found';
import { byCounts, linkList, type Description, type QueryType } from '../../query-type';
import type { LinkQuestion } from '../../question';
import { first } from '../../sql/ranked';
import { NAME, type Labelling } from '../website/dimension';
import { clicksIn, inBlocks } from './clicks';
import { LINK_FILTERS } from './filters';

interface LinkDimension extends Pick<Description, 'name' | 'meaning'> {
  readonly reads: ReadModel;
  readonly column: string;
  readonly labels?: Labelling;
}

/** Clicks by the value of one attribute; '' = unknown (referrer: direct). */
export function linkDimension({
  reads,
  column,
  labels = NAME,
  ...description
}: LinkDimension): QueryType<LinkQuestion> {
  const top = (question: LinkQuestion, grouped: Sql) =>
    sql`select value as word, clicks::float8 as clicks from (${grouped}) grouped${first(['clicks'], question)}`;
  return linkList({
    ...description,
    category: 'Links',
    publicAccess: false,
    allowedFilters: LINK_FILTERS,
    fields: { ...labels.fields, clicks: count },
    order: byCounts(['clicks'], ...Object.keys(labels.fields)),
    answers: {
      fifteenMinutes: (question) =>
        top(
          question,
          sql`
  select value, sum(clicks) as clicks
  from ${inBlocks(question, reads, [question], { columns: sql`value, clicks` })}
  group by value`,
        ),
      facts: (question) =>
        top(
          question,
          sql`
  select ${identifier(column)} as value, count(*) as clicks
  from ${clicksIn(question, question.from, question.to)}
  group by 1`,
        ),
    },
    row: (found) => ({ ...labels.of(textIn(found, 'word')), clicks: numberIn(found, 'clicks') }),
  });
}
