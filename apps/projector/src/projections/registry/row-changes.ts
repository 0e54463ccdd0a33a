import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { mergeRolesOf, type Value } from '@ledgerline/platform/database/read-model-rows';
import { deleteRows, updateRows } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import { upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { countRows, type RowCount } from './row-count';

type Columns = Readonly<Record<string, Value>>;
/** What an event does to a row: writes it whole, sets some columns of it if it exists, or deletes it. */
export type RowChange = { readonly write: Columns } | { readonly set: Columns } | { readonly remove: Columns };

/** What a batch does to a table of rows that only the latest event decides: one change per key. */
export class RowChanges {
  private readonly pending = new Map<string, RowChange>();

  constructor(
    private readonly model: ReadModel,
    private readonly count?: RowCount,
  ) {}

  add(change: RowChange): void {
    const columns = columnsOf(change);
    const key = JSON.stringify(mergeRolesOf(this.model).keys.map((name) => columns[name]));
    const earlier = this.pending.get(key);
    this.pending.set(key, earlier && 'set' in change ? setOn(earlier, change.set) : change);
  }

  statements(tables: WrittenTables): Sql[] {
    const changes = [...this.pending.values()];
    const removed = changes.flatMap((change) => ('remove' in change ? [change.remove] : []));
    const written = changes.flatMap((change) => ('write' in change ? [change.write] : []));
    const set = changes.flatMap((change) => ('set' in change ? [change.set] : []));
    return [
      ...(this.count ? countRows(tables, this.model, this.count, { written, removed }) : []),
      ...(removed.length > 0 ? writeTo(tables, this.model, (schema, model) => deleteRows(schema, model, removed)) : []),
      ...(written.length > 0 ? upsertInto(tables, this.model, written) : []),
      ...[...byColumns(set).values()].flatMap((rows) =>
        writeTo(tables, this.model, (schema, model) => updateRows(schema, model, rows)),
      ),
    ];
  }
}

function setOn(earlier: RowChange, columns: Columns): RowChange {
  if ('write' in earlier) return { write: { ...earlier.write, ...columns } };
  return 'set' in earlier ? { set: { ...earlier.set, ...columns } } : earlier;
}

function columnsOf(change: RowChange): Columns {
  if ('write' in change) return change.write;
  return 'set' in change ? change.set : change.remove;
}

/** Rows that set the same columns go into one statement. */
function byColumns(rows: readonly Columns[]): Map<string, Columns[]> {
  const groups = new Map<string, Columns[]>();
  for (const row of rows) {
    const names = Object.keys(row).sort().join();
    groups.set(names, [...(groups.get(names) ?? []), row]);
  }
  return groups;
}
