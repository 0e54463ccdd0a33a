import { sessions as sessionsModel } from '@ledgerline/contracts/read-models/sessions';
import { addHits } from '@ledgerline/domain/sessions/add-hits';
import type { Session } from '@ledgerline/domain/sessions/session';
import { ALWAYS, Stay, staysOf, windowOf, type Stays, type Unit } from '@ledgerline/domain/sessions/stay';
import { difference, FoldedRows, type Row } from '@ledgerline/platform/database/read-model-rows';
import { deleteEmptied, deleteRows, upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';
import { spreadOut } from '../rollup';
import { ROLLUPS } from './rollups';
import { sessionRow } from './session-rows';
import type { Visit } from './visit';

/** What a batch changes: sessions as they are now, sessions that were joined to others, and each rollup before and after. */
export class Ledger {
  /** Of the sessions as they are now. */
  hits = 0;
  private readonly sessions: Row[] = [];
  private readonly joined: Row[] = [];
  private readonly rollups = ROLLUPS.map((rollup) => {
    return { rollup, before: new FoldedRows(rollup.builds), after: new FoldedRows(rollup.builds) };
  });

  constructor(private readonly domains: ReadonlyMap<number, number>) {}

  /** Answers the unit's sessions afterwards. */
  add(visit: Visit, before: readonly Session[]): readonly Session[] {
    const { website, unit, visitor, calendar } = visit;
    const after = addHits(visitor, before, visit.arrivals);
    const [old, now] = [new Set(before), new Set(after)];
    const [kept, fresh] = [after.filter((session) => old.has(session)), after.filter((session) => !old.has(session))];
    const replaced = before.filter((session) => !now.has(session));
    for (const session of fresh) {
      this.sessions.push(sessionRow(visit, visitor, session));
      this.hits += session.hits.length;
    }
    for (const { id } of replaced) {
      if (!fresh.some((session) => session.id === id)) this.joined.push({ website, unit, session: id });
    }
    const changed = [...fresh, ...replaced];
    const window = before.length === 0 ? ALWAYS : windowOf(changed, calendar);
    const stays = staysOf(kept, calendar, window);
    this.rollUp('before', replaced, stays, { ...visit, window, changed });
    this.rollUp('after', fresh, stays, { ...visit, window, changed });
    return after;
  }

  *statements(schema: string): Iterable<Sql> {
    if (this.joined.length > 0) yield deleteRows(schema, sessionsModel, this.joined);
    if (this.sessions.length > 0) yield upsert(schema, sessionsModel, this.sessions);
    for (const { rollup, before, after } of this.rollups) {
      const rows = spreadOut(rollup, difference(before, after));
      if (rows.length === 0) continue;
      yield upsert(schema, after.model, rows);
      const emptied = before.size > 0 ? deleteEmptied(schema, after.model, rows) : undefined;
      if (emptied) yield emptied;
    }
  }

  /** The rows of these sessions among those that stay as they are. */
  private rollUp(
    when: 'before' | 'after',
    sessions: readonly Session[],
    stays: Stays,
    of: Omit<Unit, keyof Stays>,
  ): void {
    const { website, visitor, calendar, window, changed } = of;
    const { earlier, later } = stays;
    const near = [...stays.near, ...sessions.map((session) => new Stay(session, calendar))];
    if (near.length + later.length === 0) return; // nothing of the window, nor anything that would look back at it
    const domainOf = (href: number) => this.domainOf(href);
    const unit = { website, visitor, calendar, window, changed, near, earlier, later, domainOf };
    for (const { rollup, [when]: rows } of this.rollups) rollup.rowsOf(unit, (row) => rows.add(row));
  }

  private domainOf(href: number): number {
    const domain = this.domains.get(href);
    if (domain === undefined) throw new RangeError(`Nobody looked up the host of the link with the number ${href}.`);
    return domain;
  }
}
