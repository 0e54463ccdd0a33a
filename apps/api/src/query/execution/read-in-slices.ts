import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import type { SqlRow } from '../fields';
import type { ResponseSizeLimit } from './response-size-limit';
import type { Deadline } from './deadline';

export const ROWS_OF_SLICE = 500;

/**
 * Rows through a cursor, so that those which exceed the budget are never in memory together.
 * @throws Problem VALIDATION_ERROR when they do · SERVICE_UNAVAILABLE when the time is over
 */
export async function readInSlices(
  on: Queryable,
  query: Sql,
  { budget, deadline }: { readonly budget: ResponseSizeLimit; readonly deadline: Deadline },
): Promise<SqlRow[]> {
  const [found, left]: [SqlRow[], ResponseSizeLimit] = [[], budget.copy()];
  await on.query('set local cursor_tuple_fraction = 1'); // all rows are wanted: the same plan as without a cursor
  await run(on, sql`declare slices no scroll cursor for ${query}`);
  try {
    for (;;) {
      await on.query(`set local statement_timeout = ${deadline.left()}`);
      const { rows } = await on.query<SqlRow>(`fetch ${ROWS_OF_SLICE} from slices`);
      await left.take(rows);
      found.push(...rows);
      if (rows.length < ROWS_OF_SLICE) break;
    }
  } catch (error) {
    if (error instanceof Problem) await on.query('close slices'); // after any other error the transaction is rolled back
    throw error;
  }
  await on.query('close slices');
  return found;
}
