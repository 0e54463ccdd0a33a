import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WebsiteQuestion } from '../question';
import { counted } from './blocks';

/** Distinct visitors or sessions, whichever the column counts, by value over the days of a question. */
export const distinctByDays = (
  question: WebsiteQuestion,
  model: ReadModel,
  { column = 'distinct_count', also }: { readonly column?: string; readonly also?: Sql } = {},
): Sql => sql`
  select value, sum(counted) as ${identifier(column)}
  from (${counted(question, model, { column, ...(also ? { also } : {}) })}) each_block
  group by value`;
