import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import { supersededIn, type SessionHit } from '@ledgerline/domain/sessions/session-hit';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import {
  addsSomething,
  difference,
  FoldedRows,
  mergeRolesOf,
  type Row,
} from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied, updateRows } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { isAppended, upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { EVENT_FACTS, FACT_SUMS } from './event-facts.projections';
import { numbersOf, type FactColumns } from './fact-sums';
import { intoBlocks } from './into-blocks';
import { NOTHING_CLOSED, type IsClosed } from './rollup';
import type { VisitorHits } from './visitor-hits';

const KINDS: ReadonlySet<number> = new Set(EVENT_FACTS.map(({ kind }) => kind));

/** A table of facts, and what a batch changes in it. */
interface FactTable extends Pick<(typeof EVENT_FACTS)[number], 'builds' | 'kind' | 'sums'> {
  readonly added: FoldedRows;
  readonly moved: Row[];
}

/** A fact of an earlier batch that does not count any more. */
interface Superseded {
  readonly table: FactTable;
  readonly key: { readonly website: number; readonly at: number; readonly id: string; readonly actor: string };
  readonly day: number;
  /** Undefined = they have to be read. */
  readonly columns: FactColumns | undefined;
}

/** How the sessions of a visit change. */
interface SessionChanges {
  /** Added or replaced. */
  readonly added: readonly Session[];
  /** Replaced, or gone. */
  readonly removed: readonly Session[];
  readonly gone: readonly Session[];
  /** Of hits that are not written yet. */
  readonly unwritten: ReadonlyMap<SessionHit, FactColumns> | undefined;
}

/** The fact rows that a batch adds, those of earlier batches whose gap session has another id now, and what they add up to. */
export class FactChanges {
  private readonly tables = EVENT_FACTS.map(({ builds, kind, sums }): FactTable => {
    return { builds, kind, sums, added: new FoldedRows(builds), moved: [] };
  });
  /** By day, of each model that they add up to: what is added, and what does not count any more. */
  private readonly days = new Map(
    FACT_SUMS.map((builds) => [builds, { before: new FoldedRows(builds), after: new FoldedRows(builds) }]),
  );
  private readonly superseded: Superseded[] = [];

  add({ website, actor, visitor, columns, calendar }: VisitorHits, changes: SessionChanges): void {
    const { added, removed, gone, unwritten } = changes;
    if (columns.size === 0 && gone.length === 0) return;
    const moved = new Set(gone.flatMap(({ hits }) => hits.filter(({ kind }) => KINDS.has(kind)).map(({ id }) => id)));
    const before = new Set(removed.flatMap(({ hits }) => [...supersededIn(hits)]));
    for (const each of added) {
      const session = sessionOfFacts(each);
      const superseded = supersededIn(each.hits);
      for (const hit of each.hits) {
        const table = KINDS.has(hit.kind) && this.tables.find(({ kind }) => kind === hit.kind);
        if (!table) continue;
        const key = { website, at: hit.at, id: hit.id, actor };
        const day = calendar.day(hit.at);
        const arrived = columns.get(hit);
        if (arrived) {
          table.added.add({ ...key, session, visitor, ...arrived });
          if (!superseded.has(hit)) this.count('after', table, { key, day, columns: arrived });
        } else {
          if (moved.has(hit.id)) table.moved.push({ ...key, session });
          if (superseded.has(hit) && !before.has(hit))
            this.superseded.push({ table, key, day, columns: unwritten?.get(hit) });
        }
      }
    }
  }

  /** Takes out of the sums what does not count any more; to be called after all visits were added. */
  async takeOut(on: Queryable, tables: WrittenTables): Promise<void> {
    for (const table of this.tables) {
      const ofTable = this.superseded.filter((each) => each.table === table);
      for (const each of ofTable) if (each.columns) this.count('before', table, { ...each, columns: each.columns });
      const unread = ofTable.filter(({ columns }) => columns === undefined);
      for (const [place, columns] of await readFacts(on, tables, table.builds, unread)) {
        const each = unread[place];
        if (each) this.count('before', table, { ...each, columns });
      }
    }
  }

  private count(
    when: 'before' | 'after',
    { sums }: FactTable,
    { key: { website, at }, day, columns }: Pick<Superseded, 'key' | 'day'> & { readonly columns: FactColumns },
  ): void {
    for (const { builds, rowsOf } of sums) {
      for (const row of rowsOf(columns, at)) this.days.get(builds)?.[when].add({ website, span: 1, day, ...row });
    }
  }

  *statements(tables: WrittenTables, isClosed: IsClosed): Iterable<Sql> {
    for (const { builds, added, moved } of this.tables) {
      if (added.size > 0) yield* upsertInto(tables, builds, added.values());
      if (moved.length > 0) yield* writeTo(tables, builds, (schema, model) => updateRows(schema, model, moved));
    }
    for (const [builds, { before, after }] of this.days) {
      const isMergedLater = isAppended(tables, builds);
      const rows = inBlocks(builds, difference(before, after), isMergedLater ? NOTHING_CLOSED : isClosed);
      if (rows.length === 0) continue;
      yield* upsertInto(tables, builds, rows);
      if (before.size > 0 && !isMergedLater)
        yield* writeTo(tables, builds, (schema, model) => deleteEmptied(schema, model, rows));
    }
  }
}

/**
 * The numbers of facts in their table, by their place among these. One that is missing is found by the comparison with
 * the log, and repaired with the sums.
 */
async function readFacts(
  on: Queryable,
  tables: WrittenTables,
  builds: ReadModel,
  facts: readonly Superseded[],
): Promise<ReadonlyMap<number, FactColumns>> {
  const [target] = tables.targetsOf(builds);
  if (facts.length === 0) return new Map();
  if (!target) throw new RangeError(`There is no table ${builds.name} to read facts from that do not count any more.`);
  const keys = { website: 'integer', at: 'timestamptz', id: 'uuid', actor: 'uuid' } as const;
  const names = Object.keys(keys) as (keyof typeof keys)[];
  const text = `select place::integer - 1 as place, ${numbersOf(builds)}
    from unnest(${names.map((name, at) => `$${at + 1}::${keys[name]}[]`).join(', ')})
      with ordinality as wanted (${names.join(', ')}, place)
    join ${identifier(target.schema, builds.name).text} using (${names.join(', ')})`;
  const values = names.map((name) =>
    binaryArray(
      keys[name],
      facts.map(({ key }) => key[name]),
    ),
  );
  const rows = await run<FactColumns & { place: number }>(on, { text, values });
  return new Map(rows.map(({ place, ...columns }) => [place, columns]));
}

/** What rows of facts hold of the session that they lie in. */
export const sessionOfFacts = ({ id, kind }: Session): string | null => (kind === SESSION_KIND.none ? null : id);

function inBlocks(model: ReadModel, days: readonly Row[], isClosed: IsClosed): readonly Row[] {
  const folded = new FoldedRows(model);
  intoBlocks(days, (row) => folded.add(row), isClosed);
  const roles = mergeRolesOf(model);
  return folded.values().filter((row) => addsSomething(row, roles));
}
