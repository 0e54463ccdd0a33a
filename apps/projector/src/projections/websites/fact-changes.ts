import { SESSION_KIND } from '@ledgerline/contracts/read-models/sessions';
import type { Session } from '@ledgerline/domain/sessions/session';
import { addsSomething, FoldedRows, mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import { updateRows } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import { isAppended, upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { EVENT_FACTS, FACT_SUMS } from './event-facts.projections';
import { intoBlocks } from './into-blocks';
import { NOTHING_CLOSED, type IsClosed } from './rollup';
import type { VisitorHits } from './visitor-hits';

const KINDS: ReadonlySet<number> = new Set(EVENT_FACTS.map(({ kind }) => kind));

/** The fact rows that a batch adds, and those of earlier batches whose gap session has another id now. */
export class FactChanges {
  private readonly tables = EVENT_FACTS.map(({ builds, kind, sums }) => {
    return { builds, kind, sums, added: new FoldedRows(builds), moved: [] as Row[] };
  });
  /** By day, of each model that they add up to. */
  private readonly days = new Map(FACT_SUMS.map((builds) => [builds, new FoldedRows(builds)]));

  /** Sessions of a visit that were added or replaced, and those that are gone. */
  add(
    { website, actor, visitor, columns, calendar }: VisitorHits,
    sessions: readonly Session[],
    gone: readonly Session[],
  ): void {
    if (columns.size === 0 && gone.length === 0) return;
    const moved = new Set(gone.flatMap(({ hits }) => hits.filter(({ kind }) => KINDS.has(kind)).map(({ id }) => id)));
    for (const each of sessions) {
      const session = sessionOfFacts(each);
      for (const hit of each.hits) {
        if (!KINDS.has(hit.kind)) continue;
        const table = this.tables.find(({ kind }) => kind === hit.kind);
        const key = { website, at: hit.at, id: hit.id, actor, session };
        const arrived = columns.get(hit);
        if (!table) continue;
        if (arrived) {
          table.added.add({ ...key, visitor, ...arrived });
          const day = calendar.day(hit.at);
          for (const { builds, rowsOf } of table.sums) {
            for (const row of rowsOf(arrived, hit.at)) this.days.get(builds)?.add({ website, span: 1, day, ...row });
          }
        } else if (moved.has(hit.id)) table.moved.push(key);
      }
    }
  }

  *statements(tables: WrittenTables, isClosed: IsClosed): Iterable<Sql> {
    for (const { builds, added, moved } of this.tables) {
      if (added.size > 0) yield* upsertInto(tables, builds, added.values());
      if (moved.length > 0) yield* writeTo(tables, builds, (schema, model) => updateRows(schema, model, moved));
    }
    for (const [builds, days] of this.days) {
      if (days.size === 0) continue;
      yield* upsertInto(tables, builds, inBlocks(days, isAppended(tables, builds) ? NOTHING_CLOSED : isClosed));
    }
  }
}

/** What rows of facts hold of the session that they lie in. */
export const sessionOfFacts = ({ id, kind }: Session): string | null => (kind === SESSION_KIND.none ? null : id);

/** A longer block gets no row of zeros, as when a day is added to it later. */
function inBlocks(days: FoldedRows, isClosed: IsClosed): readonly Row[] {
  const folded = new FoldedRows(days.model);
  intoBlocks(days.values(), (row) => folded.add(row), isClosed);
  const roles = mergeRolesOf(days.model);
  return folded.values().filter((row) => row['span'] === 1 || addsSomething(row, roles));
}
