import { NEVER, type ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { EVERY_VALUE, SPANS } from '@ledgerline/contracts/read-models/blocks';
import { blocksOf } from '@ledgerline/domain/sessions/day-blocks';
import { dayName, dayNumber, dayOf } from '@ledgerline/domain/time/zones';
import { emptySql, identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';

/** Which blocks may stand for the days of a question: see `blocksOf` of the domain. */
interface Reach {
  /** Blocks may begin before the first day and be taken away again: for what is simply added up. */
  readonly before: boolean;
  /** The same after the last day. */
  readonly after: boolean;
}

/** The days of a question as rows `b` of (span, day, sign). */
function blocks({ startDate, endDate, now, zone }: WebsiteQuestion, reach: Reach): Sql {
  const days = { since: dayNumber(startDate), until: dayNumber(endDate) };
  const cut = blocksOf(days, { ...reach, spans: SPANS, today: dayNumber(dayOf(now, zone)) });
  const [spans, firsts, signs] = [
    cut.map(({ span }) => span),
    cut.map(({ day }) => dayName(day)),
    cut.map(({ sign }) => sign),
  ];
  return sql`unnest(${spans}::smallint[], ${firsts}::date[], ${signs}::int[]) as b(span, day, sign)`;
}

/**
 * Rows `t` of a model that are in one of the blocks `b`, with what else must hold of them. TRICKY: the offset keeps
 * Postgres from joining in another way than by looking up each block in the index.
 */
const inEach = (question: WebsiteQuestion, model: ReadModel, reach: Reach, also: Sql): Sql => sql`
  ${blocks(question, reach)}
  cross join lateral (
    select * from ${question.table(model)}
    where website = ${question.website} and span = b.span and day = b.day${also} offset 0
  ) t`;

const WHOLE = sql` and previous_day = ${NEVER}::date`;

/** Rows that are simply added up, times `b.sign`: those of whole blocks, by value. */
export const addedUp = (question: WebsiteQuestion, model: ReadModel, also: Sql = emptySql): Sql =>
  inEach(question, model, { before: true, after: true }, sql`${WHOLE} and value > ${EVERY_VALUE}${also}`);

/** Rows of the days of a question and of no others: for the least and the greatest. */
export const within = (question: WebsiteQuestion, model: ReadModel, also: Sql): Sql =>
  inEach(question, model, { before: false, after: false }, also);

/**
 * Distinct somebodies of the days of a question as rows of (counted), with `value` where they are counted by value: all
 * of a block, without those who had been there before it since the question's first day.
 */
export function counted(
  question: WebsiteQuestion,
  model: ReadModel,
  { column, values }: { column: string; values?: Sql },
): Sql {
  const reach = { before: false, after: true };
  const also = values ? sql` and value = any(${values})` : emptySql;
  const some = (sign: Sql, when: Sql) => sql`
    select t.*, ${sign} * ${identifier(column)} as counted from ${inEach(question, model, reach, sql`${when}${also}`)}`;
  return sql`${some(sql`b.sign`, WHOLE)}
    union all${some(sql`-b.sign`, sql` and previous_day >= ${question.startDate}::date`)}`;
}
