import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';

/** Distinct somebodies by value over the days of a question. */
export const distinctByDays = (question: WebsiteQuestion, model: ReadModel): Sql => sql`
    select value, sum(distinct_count) as distinct_count from ${question.table(model)}
    where website = ${question.website} and day between ${question.startDate}::date and ${question.endDate}::date
      and previous_day < ${question.startDate}::date
    group by value`;
