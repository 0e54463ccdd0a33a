import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied, deleteRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { StoredVisitor } from '../projection-group';
import { isAppended, upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { DayChanges } from './day-changes';
import { FactChanges } from './fact-changes';
import { KeptChanges, type PartChanges } from './kept-changes';
import { KEPT_TABLES, targetsOf, type KeptTable } from './kept-tables';
import { sessionRow } from './session-rows';
import { NOTHING_CLOSED, tableRows, takesAway } from './table-rows';
import type { VisitorHits } from './visitor-hits';
import type { WebsiteStates } from './website-states';

/** What a batch changes: sessions that were added or replaced, sessions that are gone, and what is kept. */
export class BatchChanges {
  /** Hits of the changed sessions. */
  hits = 0;
  private readonly sessions: Row[] = [];
  private readonly gone: Row[] = [];
  private readonly days = new DayChanges();
  private readonly kept = new KeptChanges();
  private readonly facts = new FactChanges(this.kept);

  /** @param domains the host of each href, as text ids */
  constructor(
    domains: ReadonlyMap<number, number>,
    private readonly websites: WebsiteStates,
  ) {
    for (const [href, domain] of domains) this.kept.addDomain(href, domain);
  }

  /** Adds a visit and returns the visitor as it is stored afterwards. */
  add(visit: VisitorHits, stored: StoredVisitor | undefined): StoredVisitor {
    const { website, actor, visitor } = visit;
    this.websites.add(visit);
    const number = visitor === null ? null : (stored?.number ?? this.websites.nextVisitor(website));
    const before = stored?.sessions ?? [];
    const after = addHits(visitor, before, visit.arrivals);
    const [old, now] = [new Set(before), new Set(after)];
    const added = after.filter((session) => !old.has(session));
    const removed = before.filter((session) => !now.has(session));
    for (const session of added) {
      this.sessions.push(sessionRow({ ...visit, number }, session));
      this.hits += session.hits.length;
    }
    const gone = removed.filter(({ id }) => !added.some((session) => session.id === id));
    for (const { id } of gone) this.gone.push({ website, actor, session: id });
    this.facts.add(visit, { added, removed, gone, unwritten: stored?.columns });
    this.days.add(website, [...added, ...removed]);
    this.kept.addVisitor(visit, { added, removed, staying: after.filter((session) => old.has(session)) });
    return { number, sessions: after, columns: visit.columns };
  }

  /** Reads what else the statements need; to be called after all visits were added. */
  readFacts(on: Queryable, tables: WrittenTables): Promise<void> {
    return this.facts.takeOut(on, tables);
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    if (this.gone.length > 0) yield deleteRows(tables.state, sessionsModel, this.gone);
    if (this.sessions.length > 0) yield upsert(tables.state, sessionsModel, this.sessions);
    yield* this.websites.statements(tables);
    yield* this.days.statements(tables);
    yield* this.facts.statements(tables);
    const changesIn = this.kept.changes();
    for (const table of KEPT_TABLES) {
      if (targetsOf(table).some((model) => tables.targetsOf(model).length > 0))
        yield* this.tableStatements(tables, table, changesIn(table));
    }
  }

  private *tableStatements(tables: WrittenTables, table: KeptTable, changes: readonly PartChanges[]): Iterable<Sql> {
    const isMergedLater = isAppended(tables, table.builds);
    const isClosed = isMergedLater ? NOTHING_CLOSED : this.websites.isClosed;
    const rows = tableRows(table, changes, isClosed);
    const [open, closed] = table.closed ? [rows.filter((row) => !isOver(row)), rows.filter(isOver)] : [rows, []];
    const written: [ReadModel, readonly Row[]][] = [[table.builds, open]];
    if (table.closed) written.push([table.closed.builds, table.closed.rowsOf(closed)]);
    for (const [model, some] of written) {
      if (some.length === 0 || tables.targetsOf(model).length === 0) continue;
      yield* upsertInto(tables, model, some);
      if (!isMergedLater && takesAway(some, mergeRolesOf(model)))
        yield* writeTo(tables, model, (schema, its) => deleteEmptied(schema, its, some));
    }

    function isOver({ website, day }: Row): boolean {
      return isClosed(website as number, day as number);
    }
  }
}
