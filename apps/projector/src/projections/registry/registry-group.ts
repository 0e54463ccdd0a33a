import type { Recorded } from '@ledgerline/contracts/events/event-versions';
import type { LinkDetails } from '@ledgerline/contracts/events/link.events';
import { keysOf } from '@ledgerline/contracts/json';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { RECORD_TABLES, REGISTRY, happenings, linkCounts } from '@ledgerline/contracts/read-models/registry';
import { happeningOf } from '@ledgerline/domain/goals/happening';
import { linkWords } from '@ledgerline/domain/links/link-words';
import { changeOf, typesOf, type RecordKind } from '@ledgerline/domain/registry/record-changes';
import { mergeRolesOf, type ReadModelRow, type Value } from '@ledgerline/platform/database/read-model-rows';
import { deleteRows, updateRows } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, sql, type Sql } from '@ledgerline/platform/database/sql';
import { type RecordedEvent, contradictsStream, decidedIn } from '@ledgerline/platform/event-store/event-store';
import { rowOf } from '@ledgerline/platform/registry/stored-registry';
import { upsertInto, writeTo, type ProjectionGroup, type WrittenTables } from '../projection-group';

const KINDS = keysOf(RECORD_TABLES);
const LINK_COUNT: RowCount = { in: linkCounts, of: 'links', by: 'organization_id' };

export const registryGroup = (): ProjectionGroup<RecordedEvent> => ({
  ...REGISTRY,
  types: typesOf(KINDS),
  cursorOf: ({ cursor }) => cursor,
  loggedAt: ({ recordedAt }) => recordedAt.getTime(),
  describe: (event) => {
    const { id, type, stream, recordedAt } = event;
    const orderKey = contradictsStream(event) ? id : stream; // nothing waits behind it
    return { id, type, subject: stream, orderKey, at: recordedAt.getTime() };
  },
  prepare: (recorded) => {
    const wrong = recorded.find(contradictsStream);
    if (wrong) throw new Error(`The data of an event of ${wrong.stream} names another organization than its stream.`);
    const events = decidedIn(recorded);
    const changes = KINDS.map((kind) => {
      const rows = new RowChanges(RECORD_TABLES[kind], kind === 'links' ? LINK_COUNT : undefined);
      for (const change of events.flatMap((event) => rowChangeOf(kind, event) ?? [])) rows.add(change);
      return rows;
    });
    const happened = events.flatMap(happeningRow);
    return Promise.resolve((_, tables) =>
      Promise.resolve({
        statements: [
          ...changes.flatMap((rows) => rows.statements(tables)),
          ...(happened.length > 0 ? upsertInto(tables, happenings, happened) : []),
        ],
      }),
    );
  },
  invalidateCaches: () => undefined,
});

function happeningRow(event: Recorded & Pick<RecordedEvent, 'id'>): ReadModelRow[] {
  const found = happeningOf(event);
  return found ? [rowOf(happenings, { ...found, id: event.id, at: event.recordedAt })] : [];
}

/** Returns what an event does to the table of a kind of record. */
export function rowChangeOf(kind: RecordKind, event: Recorded): RowChange | undefined {
  const change = changeOf(kind, event);
  if (!change) return undefined;
  if ('write' in change) return { write: columnsOf(kind, change.write) };
  return 'set' in change ? { set: columnsOf(kind, change.set) } : { remove: columnsOf(kind, change.remove) };
}

function columnsOf(kind: RecordKind, fields: object): ReadModelRow {
  const columns = rowOf(RECORD_TABLES[kind], fields);
  if (kind !== 'links' || !('details' in fields)) return columns;
  return { ...columns, words: linkWords(fields.details as LinkDetails) }; // by its kind
}

type Columns = Readonly<Record<string, Value>>;

/** The change that an event makes to a row: it writes it whole, sets some columns of it if it exists, or deletes it. */
export type RowChange = { readonly write: Columns } | { readonly set: Columns } | { readonly remove: Columns };

/** The changes that a batch makes to a table of rows that only the latest event decides: one change per key. */
class RowChanges {
  private readonly pending = new Map<string, RowChange>();

  constructor(
    private readonly model: ReadModel,
    private readonly count?: RowCount,
  ) {}

  add(change: RowChange): void {
    const columns = columnsIn(change);
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

function columnsIn(change: RowChange): Columns {
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

/** A table of how many rows of another one have each value of a column, which never changes. */
interface RowCount {
  readonly in: ReadModel;
  readonly of: string;
  readonly by: string;
}

/**
 * Counts what a batch is about to write and remove, before it does: rows that are there are not counted again, so that
 * a batch may be repeated. A count of zero has no row.
 */
function countRows(
  tables: WrittenTables,
  model: ReadModel,
  { in: counts, of, by }: RowCount,
  { written, removed }: { readonly written: readonly Columns[]; readonly removed: readonly Columns[] },
): Sql[] {
  if (written.length === 0 && removed.length === 0) return [];
  const count = identifier(of);
  const value = identifier(by);
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
