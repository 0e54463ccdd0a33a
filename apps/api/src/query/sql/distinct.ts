import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { counted } from './blocks';

/** Distinct somebodies by value over the days of a question. */
export const distinctByDays = (question: WebsiteQuestion, model: ReadModel): Sql => sql`
    select value, sum(counted) as distinct_count
    from (${counted(question, model, { column: 'distinct_count' })}) somebodies
    group by value`;
