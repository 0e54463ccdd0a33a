import { run, type Queryable } from './pool';
import type { Sql } from './sql';

const AT_ONCE = 10_000;

/** The rows of a query, inside a transaction: no more are in memory than are read at once. */
export async function* readInPortions<Row extends object>(
  on: Queryable,
  { text, values }: Sql,
): AsyncIterable<readonly Row[]> {
  await run(on, { text: `declare portions cursor for ${text}`, values });
  for (;;) {
    const rows = await run<Row>(on, { text: `fetch ${AT_ONCE} from portions`, values: [] });
    if (rows.length > 0) yield rows;
    if (rows.length < AT_ONCE) break;
  }
  await run(on, { text: 'close portions', values: [] });
}
