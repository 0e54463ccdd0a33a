import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE } from '@ledgerline/contracts/read-models/blocks';
import { NO_WORD } from '@ledgerline/contracts/read-models/words';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { addedUp } from './blocks';
import { distinctByDays } from './distinct';
import { first } from './ranked';

interface Ranking {
  readonly reads: ReadModel;
  /** What the rows are ranked by first. */
  readonly by: 'pageviews' | 'sessions';
  readonly withMissing: boolean;
}

/**
 * The rows that may be on the page from the rollup of a dimension, as {@link ranked} has them. Only what is simply added
 * up decides which these are; their visitors are counted for them alone, and for all values together.
 */
export const rankedByDays = (question: WebsiteQuestion, { reads, by, withMissing }: Ranking): Sql => {
  const count = identifier(by);
  const missing = withMissing ? emptySql : sql` and value <> ${NO_WORD}`;
  const also = sql` and value = any(array(
      select value from top union all select unnest(${withMissing ? [EVERY_VALUE] : [EVERY_VALUE, NO_WORD]}::int[])))`;
  return sql`
with added as (${addedUp(question, reads, by, missing)}
), top as (
  select * from added${first([by], question)}
), counted as (${distinctByDays(question, reads, { column: 'visitors', also })}
), whole as (
  select sum(case value when ${EVERY_VALUE} then visitors else -visitors end) as whole
  from counted where value in (${EVERY_VALUE}, ${withMissing ? EVERY_VALUE : NO_WORD})
)
select coalesce(w.word, '') as word, ${count}, coalesce(visitors, 0) as visitors, whole
from top left join counted using (value) cross join whole
left join words w on w.id = value and value <> ${NO_WORD}`;
};
