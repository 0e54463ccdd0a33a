import { NO_TEXT } from '@ledgerline/contracts/read-models/dictionary';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { SqlRow } from '../fields';
import { wantsEveryRow, type QueryContext } from '../query-type';

type Counted<Count extends string> = Readonly<Record<Count | 'value', number>>;

/** What `ranked` of the SQL fragments makes of the same rows. */
export async function rankedRows<Count extends string>(
  on: Queryable,
  context: QueryContext,
  rows: readonly Counted<Count>[],
  { counts, share }: { readonly counts: readonly [Count, ...Count[]]; readonly share: Count },
): Promise<SqlRow[]> {
  const whole = rows.reduce((sum, row) => sum + row[share], 0);
  const chosen = firstOf(rows, counts, context);
  const texts = await textsOf(
    on,
    chosen.map(({ value }) => value),
  );
  return chosen.map((row) => ({ ...row, whole, total_rows: rows.length, text: texts.get(row.value) ?? '' }));
}

/** The rows that may be on the page: the first ones by their counts, with all that equal the last of them. */
export function firstOf<Count extends string, Row extends Readonly<Record<Count, number>>>(
  rows: readonly Row[],
  counts: readonly [Count, ...Count[]],
  context: QueryContext,
): readonly Row[] {
  if (wantsEveryRow(context)) return rows;
  const { page, limit } = context.page;
  const compare = (a: Row, b: Row) => {
    const decisive = counts.find((count) => a[count] !== b[count]);
    return decisive === undefined ? 0 : b[decisive] - a[decisive];
  };
  const [first] = counts;
  const least = leastOfPage(
    Float64Array.from(rows, (row) => row[first]),
    context,
  );
  const sorted = rows.filter((row) => row[first] >= least).sort(compare);
  const last = sorted[page * limit - 1];
  if (last === undefined) return sorted;
  const end = sorted.findIndex((row, at) => at >= page * limit && compare(row, last) !== 0);
  return end < 0 ? sorted : sorted.slice(0, end);
}

const MANY = 2 ** 16;

/** So much at least has every row that may be on the page, by the counts of all rows that come first: the others need no sorting. */
export function leastOfPage(counts: Float64Array, context: QueryContext): number {
  if (wantsEveryRow(context)) return 0;
  const { page, limit } = context.page;
  const frequencies = new Uint32Array(MANY + 1);
  for (let at = 0; at < counts.length; at++) {
    const place = Math.min(counts[at] ?? 0, MANY);
    frequencies[place] = (frequencies[place] ?? 0) + 1;
  }
  let least = MANY;
  for (let found = frequencies[least] ?? 0; found < page * limit && least > 0;) found += frequencies[--least] ?? 0;
  return least;
}

export async function textsOf(on: Queryable, values: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const ids = values.filter((value) => value !== NO_TEXT);
  if (ids.length === 0) return new Map();
  const found = sql`select id, text from dictionary where id = any(${ids}::int[])`;
  return new Map((await run<{ id: number; text: string }>(on, found)).map(({ id, text }) => [id, text]));
}
