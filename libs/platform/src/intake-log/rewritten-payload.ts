import { type Body, packBody, type SegmentTable, unpackBody, ValueDictionary } from './segment-format';

/**
 * A payload without some of its events: their places are empty, and so are those of their ids, and of hashes of visitors
 * and sessions that nobody else has.
 */
export async function withoutEvents(
  { payload, size }: { readonly payload: Buffer; readonly size: number },
  leftOut: ReadonlySet<number>,
): Promise<{ payload: Buffer; size: number }> {
  const { tables, others, ...body } = unpackBody(payload, size);
  const values = new ValueDictionary();
  const valueAt = (number: number) => payload.toString('hex', 4 + 16 * number, 20 + 16 * number);
  const left: (readonly [SegmentTable, rows: readonly number[]])[] = [];
  let first = 0;
  for (const table of tables) {
    const rows = [...table.at.keys()].filter((row) => !leftOut.has(table.places?.[row] ?? row));
    for (const row of rows) values.add(valueAt(first + row));
    if (rows.length > 0) left.push([table, rows]);
    first += table.at.length;
  }
  const renumbered = left.map(([table, rows]) => rowsOf(table, rows, (number) => values.numberOf(valueAt(number))));
  const rest: Body = { ...body, tables: renumbered, others: others.filter(([place]) => !leftOut.has(place)) };
  return packBody(rest, values);
}

function rowsOf(table: SegmentTable, rows: readonly number[], numberOf: (before: number) => number): SegmentTable {
  const { at, receivedAt, columns, hashed, places } = table;
  const pick = <T>(column: readonly T[]) => rows.map((row) => column[row] as T); // a row of the table
  return {
    ...table,
    places: rows.map((row) => places?.[row] ?? row),
    at: pick(at),
    receivedAt: pick(receivedAt),
    columns: columns.map((column, number) => {
      const picked = pick(column);
      return hashed.includes(number)
        ? picked.map((value) => (typeof value === 'number' ? numberOf(value) : null))
        : picked;
    }),
  };
}
