import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import type { WrittenTables } from '../written-tables';
import type { Value } from '@ledgerline/platform/database/read-model-rows';

/** A table of how many rows of another one have each value of a column, which never changes. */
export interface RowCount {
  readonly in: ReadModel;
  readonly of: string;
  readonly by: string;
}

type Columns = Readonly<Record<string, Value>>;

/**
 * Counts what a batch is about to write and remove, before it does: rows that are there are not counted again, so that
 * a batch may be repeated. A count of zero has no row.
 */
export function countRows(
  tables: WrittenTables,
  model: ReadModel,
  { in: counts, of, by }: RowCount,
  { written, removed }: { readonly written: readonly Columns[]; readonly removed: readonly Columns[] },
): Sql[] {
  if (written.length === 0 && removed.length === 0) return [];
  const [count, value] = [identifier(of), identifier(by)];
  const texts = (columns: readonly Columns[], name: string) => columns.map((each) => each[name]);
  const rows = identifier(tables.state, model.name);
  return tables.targetsOf(counts).flatMap(({ schema }) => {
    const table = identifier(schema, counts.name);
    return [
      sql`
      insert into ${table} as old (${value}, ${count})
      select value, sum(change) from (
        select ${value} as value, -count(*) as change from ${rows} where id = any(${texts(removed, 'id')}::text[]) group by 1
        union all
        select value, count(*) from unnest(${texts(written, 'id')}::text[], ${texts(written, by)}::text[]) as new (id, value)
        where not exists (select from ${rows} as known where known.id = new.id) group by 1
      ) as changes group by value having sum(change) <> 0
      on conflict (${value}) do update set ${count} = old.${count} + excluded.${count}`,
      ...(removed.length > 0 ? [sql`delete from ${table} where ${count} = 0`] : []),
    ];
  });
}
