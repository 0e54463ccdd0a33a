import type { RollupDeltas } from '@ledgerline/aggregation/aggregation';
import { keysOf } from '@ledgerline/contracts/json';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Calendar } from '@ledgerline/contracts/sessions/local-session';
import { type Session, supersededIn, type SessionHit } from '@ledgerline/contracts/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { FoldedRows, type ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
import { deleteRows, updateRows } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { upsertInto, writeTo, type WrittenTables } from '../projection-group';
import { EVENT_FACTS, type FactColumns, type VisitorHits } from './read-hit';

const KINDS: ReadonlySet<number> = new Set(EVENT_FACTS.map(({ kind }) => kind));

/** A table of facts, and what a batch changes in it. */
interface FactTable extends Pick<(typeof EVENT_FACTS)[number], 'builds' | 'kind' | 'unit'> {
  readonly added: FoldedRows;
  readonly moved: ReadModelRow[];
  readonly removed: FactKey[];
}

type FactKey = Superseded['key'];

/** A fact of an earlier batch that does not count any more. */
interface Superseded {
  readonly table: FactTable;
  readonly key: { readonly website: number; readonly at: number; readonly id: string; readonly actor: string };
  readonly calendar: Calendar;
  /** Undefined = they have to be read. */
  readonly columns: FactColumns | undefined;
}

/** The changes of the sessions of a visit. */
interface SessionChanges {
  /** Added or replaced. */
  readonly added: readonly Session[];
  /** Replaced, or gone. */
  readonly removed: readonly Session[];
  readonly gone: readonly Session[];
  /** The columns of hits that are not written yet. */
  readonly unwritten: ReadonlyMap<SessionHit, FactColumns> | undefined;
}

/** The fact rows that a batch adds, those of earlier batches whose gap session has another id now, and what is kept of them. */
export class FactChanges {
  private readonly tables = EVENT_FACTS.map((facts): FactTable => {
    return { ...facts, added: new FoldedRows(facts.builds), moved: [], removed: [] };
  });
  private readonly superseded: Superseded[] = [];

  constructor(private readonly rollups: RollupDeltas) {}

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
        const arrived = columns.get(hit);
        if (arrived) {
          table.added.add({ ...key, session, visitor, ...arrived });
          if (!superseded.has(hit)) this.count(1, table, { key, calendar, columns: arrived });
        } else {
          if (moved.has(hit.id)) table.moved.push({ ...key, session });
          if (superseded.has(hit) && !before.has(hit))
            this.superseded.push({ table, key, calendar, columns: unwritten?.get(hit) });
        }
      }
    }
  }

  /** Removes sessions with their facts. */
  remove(
    { website, actor, calendar }: Pick<VisitorHits, 'website' | 'actor' | 'calendar'>,
    sessions: readonly Session[],
  ) {
    for (const { hits } of sessions) {
      const superseded = supersededIn(hits);
      for (const hit of hits) {
        const table = this.tables.find(({ kind }) => kind === hit.kind);
        if (!table) continue;
        const key = { website, at: hit.at, id: hit.id, actor };
        table.removed.push(key);
        if (!superseded.has(hit)) this.superseded.push({ table, key, calendar, columns: undefined });
      }
    }
  }

  /** Takes out of what is kept what does not count any more; to be called after all visits were added. */
  async takeOut(on: Queryable, tables: WrittenTables): Promise<void> {
    for (const table of this.tables) {
      const ofTable = this.superseded.filter((each) => each.table === table);
      for (const each of ofTable) if (each.columns) this.count(-1, table, { ...each, columns: each.columns });
      const unread = ofTable.filter(({ columns }) => columns === undefined);
      for (const [place, columns] of await readFacts(on, tables, table.builds, unread)) {
        const each = unread[place];
        if (each) this.count(-1, table, { ...each, columns });
      }
    }
  }

  private count(
    sign: 1 | -1,
    { unit }: FactTable,
    { key: { website, at }, calendar, columns }: Omit<Superseded, 'table'> & { readonly columns: FactColumns },
  ): void {
    if (unit) this.rollups.addFact(unit, columns, { website, calendar, at }, sign);
  }

  *added(): Iterable<readonly [ReadModel, readonly ReadModelRow[]]> {
    for (const { builds, added } of this.tables) yield [builds, added.values()];
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    for (const { builds, added, moved, removed } of this.tables) {
      if (removed.length > 0) yield* writeTo(tables, builds, (schema, model) => deleteRows(schema, model, removed));
      if (added.size > 0) yield* upsertInto(tables, builds, added.values());
      if (moved.length > 0) yield* writeTo(tables, builds, (schema, model) => updateRows(schema, model, moved));
    }
  }
}

/** The columns of a table of facts that can be added up, in SQL. */
const numbersOf = ({ columns }: ReadModel): string =>
  Object.entries(columns)
    .filter(([, { type, merge }]) => merge !== 'key' && /^(smallint|integer|bigint)/.test(type))
    .map(([name]) => `${identifier(name).text}::float8`)
    .join(', ');

/**
 * The numbers of facts in their table, by their place among these. One that is missing is found by the comparison with
 * the log, and repaired with the sums.
 */
export async function readFacts(
  on: Queryable,
  tables: WrittenTables,
  builds: ReadModel,
  facts: readonly Pick<Superseded, 'key'>[],
): Promise<ReadonlyMap<number, FactColumns>> {
  const [target] = tables.targetsOf(builds);
  if (facts.length === 0) return new Map();
  if (!target) throw new RangeError(`There is no table ${builds.name} to read facts from that do not count any more.`);
  const keys = { website: 'integer', at: 'timestamptz', id: 'uuid', actor: 'uuid' } as const;
  const names = keysOf(keys);
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

/** Returns what rows of facts hold of the session that they lie in. */
const sessionOfFacts = ({ id, kind }: Session): string | null => (kind === SESSION_KIND.none ? null : id);
