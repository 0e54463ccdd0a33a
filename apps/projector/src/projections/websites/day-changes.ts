import { sessionDays, sessionDayStates } from '@ledgerline/contracts/read-models/session-days';
import type { Session } from '@ledgerline/domain/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { upsertInto, writeTo, type WrittenTables } from '../written-tables';

const DAY_MS = 86_400_000;

/** The days of UTC on which sessions began that a batch adds, replaces or removes. */
export class DayChanges {
  private readonly days = new Map<number, Set<number>>();

  add(website: number, sessions: readonly Session[]): void {
    for (const { firstAt } of sessions) this.addDay(website, Math.floor(firstAt / DAY_MS));
  }

  addDay(website: number, day: number): void {
    const days = this.days.get(website);
    if (days) days.add(day);
    else this.days.set(website, new Set([day]));
  }

  /**
   * Opens the days.
   * TRICKY: in this order, and in two statements: the first one waits for a sealer that writes rows of the day, which
   * only a later statement sees.
   */
  *statements(tables: WrittenTables): Iterable<Sql> {
    const changed = [...this.days].flatMap(([website, days]) => [...days].map((day) => ({ website, day })));
    if (changed.length === 0) return;
    const changed_at = Date.now();
    const rows = changed.map((day): Row => ({ ...day, changes: 1, changed_at, is_sealed: false }));
    yield* upsertInto(tables, sessionDayStates, rows);
    const websites = changed.map(({ website }) => website);
    const days = changed.map(({ day }) => day);
    yield* writeTo(tables, sessionDays, (schema, { name }) => ({
      text: `delete from ${identifier(schema, name).text}
        where (website, day) in (select * from unnest($1::integer[], $2::date[]))`,
      values: [binaryArray('integer', websites), binaryArray('date', days)],
    }));
  }
}
