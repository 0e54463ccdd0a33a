import { randomInt } from 'node:crypto';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import {
  sessionChanges,
  sessionDays,
  sessionDayStates,
  sessionParts,
} from '@ledgerline/contracts/read-models/session-days';
import type { Session } from '@ledgerline/contracts/sessions/session';
import { binaryArray } from '@ledgerline/platform/database/binary-array';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import { append } from '@ledgerline/platform/database/read-model-upsert';
import { identifier, type Sql } from '@ledgerline/platform/database/sql';
import { upsertInto, writeTo, type WrittenTables } from '../projection-group';
import type { ActorKey } from './read-hit';

const DAY_MS = 86_400_000;
const NUMBERS = 2 ** 48 - 1; // as many as `randomInt` takes

const dayOf = ({ firstAt }: Session): number => Math.floor(firstAt / DAY_MS);

interface ChangedDay {
  readonly website: number;
  /** The day of UTC, since 1970-01-01. */
  readonly day: number;
  /** The keys of sessions that began on it, before or after the change. */
  readonly actors: string[];
  readonly sessions: string[];
}

/** The days of UTC on which sessions began that a batch adds, replaces or removes. */
export class ChangedDays {
  private readonly days = new Map<string, ChangedDay>();

  add({ website, actor }: ActorKey, added: readonly Session[], removed: readonly Session[]): void {
    const list = (session: Session) => {
      const { actors, sessions } = this.dayOf(website, dayOf(session));
      actors.push(actor);
      sessions.push(session.id);
    };
    for (const session of added) list(session);
    for (const session of removed)
      if (!added.some((other) => other.id === session.id && dayOf(other) === dayOf(session))) list(session);
  }

  /** A day of whose sessions it is not known which change. */
  addDay(website: number, day: number): void {
    this.dayOf(website, day);
  }

  /**
   * Opens the days, and lists what changes.
   * TRICKY: in this order, and in two statements: the first one waits for a sealer that writes rows of the day, which
   * only a later statement sees.
   */
  *statements(tables: WrittenTables): Iterable<Sql> {
    if (this.days.size === 0) return;
    yield* upsertInto(tables, sessionDayStates, this.states({ unlisted: 0 }));
    yield* this.deletions(tables, sessionDays);
    const rows = Array.from(this.days.values(), (day): Row => {
      return { ...day, number: randomInt(NUMBERS), size: day.sessions.length };
    });
    yield* writeTo(tables, sessionChanges, (schema, model) => append(schema, model, rows));
  }

  /** Yields statements for days that were added as a whole, of which nothing that was packed remains. */
  *wholeStatements(tables: WrittenTables): Iterable<Sql> {
    if (this.days.size === 0) return;
    yield* upsertInto(tables, sessionDayStates, this.states({ unlisted: 1 }));
    for (const model of [sessionDays, sessionParts, sessionChanges]) yield* this.deletions(tables, model);
  }

  /** The days as open ones, of `session_day_states`. */
  states({ unlisted }: { readonly unlisted: 0 | 1 }): readonly Row<typeof sessionDayStates>[] {
    const state = { changes: 1, changed_at: Date.now(), is_sealed: false, unlisted, parts_of: 0 };
    return Array.from(this.days.values(), ({ website, day }) => ({ website, day, ...state }));
  }

  private deletions(tables: WrittenTables, model: ReadModel): Sql[] {
    const days = [...this.days.values()];
    return writeTo(tables, model, (schema, { name }) => ({
      text: `delete from ${identifier(schema, name).text}
        where (website, day) in (select * from unnest($1::integer[], $2::date[]))`,
      values: [
        binaryArray(
          'integer',
          days.map(({ website }) => website),
        ),
        binaryArray(
          'date',
          days.map(({ day }) => day),
        ),
      ],
    }));
  }

  private dayOf(website: number, day: number): ChangedDay {
    const key = `${website} ${day}`;
    const known = this.days.get(key) ?? { website, day, actors: [], sessions: [] };
    this.days.set(key, known);
    return known;
  }
}
