import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import {
  ALWAYS,
  LocalSession,
  splitByWindow,
  windowOf,
  type SessionsAroundWindow,
} from '@ledgerline/domain/sessions/local-session';
import type { Session } from '@ledgerline/domain/sessions/session';
import type { Queryable } from '@ledgerline/platform/database/pool';
import { difference, FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied, deleteRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import type { StoredVisitor } from '../projection-group';
import { isAppended, upsertInto, writeTo, type WrittenTables } from '../written-tables';
import { DayChanges } from './day-changes';
import { FactChanges } from './fact-changes';
import { expandRows, NOTHING_CLOSED, targetsOf, type RollupInput } from './rollup';
import { ROLLUPS } from './rollups';
import { sessionRow } from './session-rows';
import type { VisitorHits } from './visitor-hits';
import type { WebsiteStates } from './website-states';

/** What a batch changes: sessions that were added or replaced, sessions that are gone, and each rollup before and after. */
export class BatchChanges {
  /** Hits of the changed sessions. */
  hits = 0;
  private readonly sessions: Row[] = [];
  private readonly gone: Row[] = [];
  private readonly days = new DayChanges();
  private readonly facts = new FactChanges();
  private readonly rollups = ROLLUPS.map((rollup) => {
    return { rollup, before: new FoldedRows(rollup.builds), after: new FoldedRows(rollup.builds) };
  });

  constructor(
    private readonly domains: ReadonlyMap<number, number>,
    private readonly websites: WebsiteStates,
  ) {}

  /** Adds a visit and returns the visitor as it is stored afterwards. */
  add(visit: VisitorHits, stored: StoredVisitor | undefined): StoredVisitor {
    const { website, actor, visitor, calendar } = visit;
    this.websites.add(visit);
    const number = visitor === null ? null : (stored?.number ?? this.websites.nextVisitor(website));
    const before = stored?.sessions ?? [];
    const after = addHits(visitor, before, visit.arrivals);
    const [old, now] = [new Set(before), new Set(after)];
    const [kept, added] = [after.filter((session) => old.has(session)), after.filter((session) => !old.has(session))];
    const removed = before.filter((session) => !now.has(session));
    for (const session of added) {
      this.sessions.push(sessionRow({ ...visit, number }, session));
      this.hits += session.hits.length;
    }
    const gone = removed.filter(({ id }) => !added.some((session) => session.id === id));
    for (const { id } of gone) this.gone.push({ website, actor, session: id });
    this.facts.add(visit, { added, removed, gone, unwritten: stored?.columns });
    const changed = [...added, ...removed];
    this.days.add(website, changed);
    const window = before.length === 0 ? ALWAYS : windowOf(changed, calendar);
    const around = splitByWindow(kept, calendar, window);
    this.rollUp('before', removed, around, { ...visit, window, changed });
    this.rollUp('after', added, around, { ...visit, window, changed });
    return { number, sessions: after, columns: visit.columns };
  }

  /** Reads what else the statements need; to be called after all visits were added. */
  readFacts(on: Queryable, tables: WrittenTables): Promise<void> {
    return this.facts.takeOut(on, tables);
  }

  *statements(tables: WrittenTables): Iterable<Sql> {
    if (this.gone.length > 0) yield deleteRows(tables.state, sessionsModel, this.gone);
    if (this.sessions.length > 0) yield upsert(tables.state, sessionsModel, this.sessions);
    const { isClosed } = this.websites;
    yield* this.websites.statements(tables);
    yield* this.days.statements(tables);
    yield* this.facts.statements(tables, isClosed);
    for (const { rollup, before, after } of this.rollups) {
      const changed = difference(before, after);
      const isMergedLater = isAppended(tables, rollup.builds);
      for (const target of targetsOf(rollup)) {
        if (tables.targetsOf(target.builds).length === 0) continue;
        const rows = expandRows(target, changed, isMergedLater ? NOTHING_CLOSED : isClosed);
        if (rows.length === 0) continue;
        yield* upsertInto(tables, target.builds, rows);
        if (before.size > 0 && !isMergedLater)
          yield* writeTo(tables, target.builds, (schema, model) => deleteEmptied(schema, model, rows));
      }
    }
  }

  /** The rows of the changed sessions among those that were kept. */
  private rollUp(
    when: 'before' | 'after',
    sessions: readonly Session[],
    around: SessionsAroundWindow,
    of: Pick<RollupInput, 'website' | 'visitor' | 'calendar' | 'window' | 'changed'>,
  ): void {
    const { website, visitor, calendar, window, changed } = of;
    const { earlier, later } = around;
    const near = [...around.near, ...sessions.map((session) => new LocalSession(session, calendar))];
    if (near.length + later.length === 0) return; // no row of the window, nor one whose previous day is in it
    const domainOf = (href: number) => this.domainOf(href);
    const input = { website, visitor, calendar, window, changed, near, earlier, later, domainOf };
    for (const { rollup, [when]: rows } of this.rollups) rollup.rowsOf(input, (row) => rows.add(row));
  }

  private domainOf(href: number): number {
    const domain = this.domains.get(href);
    if (domain === undefined) throw new RangeError(`The host of the link with the number ${href} was not resolved.`);
    return domain;
  }
}
