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
import type { ReadModelRow } from '@ledgerline/platform/database/read-model-rows';
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

/** Days of UTC before today that are packed while they are open; older ones are sealed when they have been quiet for a while. */
const DAYS_BEFORE_TODAY = 1;

/** Since 1970-01-01. */
export const firstPackedDay = (): number => Math.floor(Date.now() / DAY_MS) - DAYS_BEFORE_TODAY;

/** The days of UTC on which sessions began that a batch adds, replaces or removes. */
export class ChangedDays {
  private readonly days = new Map<string, ChangedDay>();

  /** @param listedSince the first day of which is listed what changes: of earlier ones nothing is packed while they are open */
  constructor(private readonly listedSince = firstPackedDay()) {}

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
    yield* upsertInto(tables, sessionDayStates, this.states());
    yield* this.deletions(tables, sessionDays);
    const listed = [...this.days.values()].filter(({ day }) => day >= this.listedSince);
    if (listed.length === 0) return;
    const rows = listed.map((day): ReadModelRow => ({ ...day, number: randomInt(NUMBERS), size: day.sessions.length }));
    yield* writeTo(tables, sessionChanges, (schema, model) => append(schema, model, rows));
  }

  /** Yields statements for days that were added as a whole, of which nothing that was packed remains. */
  *wholeStatements(tables: WrittenTables): Iterable<Sql> {
    if (this.days.size === 0) return;
    yield* upsertInto(tables, sessionDayStates, this.statesOfUnlisted());
    for (const model of [sessionDays, sessionParts, sessionChanges]) yield* this.deletions(tables, model);
  }

  /** The days as open ones of whose changes none is listed, of `session_day_states`. */
  statesOfUnlisted(): readonly ReadModelRow<typeof sessionDayStates>[] {
    return this.states(Infinity);
  }

  private states(listedSince = this.listedSince): readonly ReadModelRow<typeof sessionDayStates>[] {
    const state = { changes: 1, changed_at: Date.now(), is_sealed: false, parts_of: 0 };
    return Array.from(this.days.values(), ({ website, day }) => {
      return { website, day, ...state, unlisted: day < listedSince ? 1 : 0 };
    });
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
