import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { REPEAT_MS, RepeatFilter } from '@ledgerline/domain/sessions/add-hits';
import { calendarOf } from '@ledgerline/domain/time/zones';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';
import type { WrittenTables } from '../projections/projection-group';
import type { BoundGroup } from '../runner/bound-group';
import { type CheckpointKey, readCheckpoint } from '../runner/checkpoint';
import { loadRules } from '../runner/erasure-rules';
import { resolveTables } from '../versions/program-tables';
import { DayDigests } from './digest';
import { keyOf, type SubjectDay } from './findings';
import { ViewHashes } from './view-hashes';

/** The tables of a partition that answer, and the part of the log that they follow from. */
export interface LivePartition {
  readonly pool: Pool;
  readonly log: LogReader<unknown>;
  /** The digest of an event of the log. */
  readonly cursorOf: (event: unknown) => Cursor;
  readonly key: CheckpointKey;
  /** Those that are frozen or mean something else are not in it: they are not compared. */
  readonly tables: WrittenTables;
  /** In which `tables` are those that answer. */
  readonly layout: string;
  /** The events that the tables lack on purpose: those that are parked, or were accepted as left out. */
  readonly leftOut: ReadonlySet<Cursor>;
  /** The rules of what they lack as it is erased. */
  readonly erased: ErasureRules;
  readonly hitIn: (event: unknown) => ObservedEvent | undefined;
  /** The position of the checkpoint, from before these were read. */
  readonly parkedRevision: number;
}

/** @throws TablesOfAnotherProgram */
export async function openLivePartition(group: BoundGroup, partition: number): Promise<LivePartition> {
  const { pool, log, name } = group;
  const { version, layout, tables } = await resolveTables(pool, group, 'live');
  const key: CheckpointKey = { group: name, version, partition };
  const parkedRevision = (await readCheckpoint(pool, key))?.parkedRevision ?? 0;
  const leftOut = await readLeftOut(pool, log, key);
  const erased = await loadRules(pool, name);
  const of = { cursorOf: (event: unknown) => group.cursorOf(event), hitIn: (event: unknown) => group.hitIn(event) };
  return { pool, log, ...of, key, tables, layout, parkedRevision, leftOut, erased };
}

/** Returns whether the events that the tables lack on purpose are still the same. */
export async function isCurrent({ pool, log, key, leftOut, erased }: LivePartition): Promise<boolean> {
  const now = await readLeftOut(pool, log, key);
  if ((await loadRules(pool, key.group)) !== erased) return false;
  return now.size === leftOut.size && [...now].every((cursor) => leftOut.has(cursor));
}

async function readLeftOut(on: Queryable, log: LogReader<unknown>, key: CheckpointKey): Promise<ReadonlySet<Cursor>> {
  const epoch = await log.epoch();
  const rows = await run<{ cursor: Cursor }>(
    on,
    sql`select cursor from parked_events
      where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}
        and (version = ${key.version} or accepted_at is not null)
      union select cursor from erased_hits
      where projection_group = ${key.group} and partition = ${key.partition} and epoch = ${epoch}`,
  );
  return new Set(rows.map(({ cursor }) => cursor));
}

/** Up to where the tables have the log, as a transaction sees both. @throws Error if other tables answer by now */
export async function positionOf(on: Queryable, { key, layout }: LivePartition): Promise<Cursor> {
  const [group] = await run<{ layout: string }>(
    on,
    sql`select layout from projection_groups where name = ${key.group}`,
  );
  if (group?.layout !== layout) throw new Error(`Other tables of ${key.group} answer by now; comparing begins again.`);
  return (await readCheckpoint(on, key))?.cursor ?? BEGINNING;
}

/** The table of a model that answers, quoted, with the columns that it has; undefined if it is not compared. */
export function answeringTable(tables: WrittenTables, model: ReadModel) {
  const [target] = tables.targetsOf(model);
  return target && { ...target, table: identifier(target.schema, model.name).text };
}

/** The part of an event of the log that tables have. */
export interface DigestedEvent extends SubjectDay {
  /** IANA, of the days of the subject. */
  readonly zone: string;
  /** The hash of the event in each table that has it. */
  readonly hashes: Readonly<Record<string, number>>;
  /** The hash of a page view with its attributes, where these are compared. */
  readonly view?: number | undefined;
  /** By which a repeat of it is found, and its time (epoch ms): tables have the first one alone. */
  readonly identity: () => readonly [id: string, at: number];
}

/** The way in which events of some types are digested. */
export interface EventDigest {
  readonly types: readonly string[];
  /** Undefined for an event without a subject. */
  readonly of: (event: ObservedEvent) => DigestedEvent | undefined;
}

/** Events of one read. */
const READ = 5_000;

/** The events after one position up to another, with the position after them; `Event` is that of the log. */
export async function* eventsBetween<Event>(
  { log, cursorOf, hitIn, key: { partition }, leftOut, erased }: LivePartition,
  types: readonly string[],
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly [events: readonly Event[], cursor: Cursor]> {
  let cursor = after;
  while (log.compare(cursor, upTo) < 0) {
    const { events, next } = await log.read(partition, cursor, { max: READ, types });
    if (next === cursor) return;
    cursor = log.compare(next, upTo) < 0 ? next : upTo;
    const isIn = (at: Cursor) => log.compare(at, upTo) <= 0 && !leftOut.has(at);
    const isErased = (hit: ObservedEvent | undefined) => hit !== undefined && erased.matching(hit).length > 0;
    const left = (events as readonly Event[]).filter((event) => isIn(cursorOf(event)) && !isErased(hitIn(event)));
    yield [left, cursor];
  }
}

/** The digests of events from a position of the log on, by subject and day; repeats of an event count again. */
export class LogDigests {
  readonly subjects = new Map<string, DayDigests & { readonly zone: string; readonly views: ViewHashes }>();

  constructor(
    private readonly live: LivePartition,
    private readonly digest: EventDigest,
    /** Up to where it has read. */
    public cursor: Cursor,
  ) {}

  /** Reads on up to a cursor, or so many events; `rest` is called after each read. */
  async readTo(upTo: Cursor, rest: () => Promise<void> = () => Promise.resolve(), max = Infinity): Promise<void> {
    let left = max;
    for await (const [events, cursor] of eventsBetween<LoggedHit>(this.live, this.digest.types, this.cursor, upTo)) {
      for (const { event } of events) this.add(event);
      this.cursor = cursor;
      await rest();
      left -= events.length;
      if (left <= 0) return;
    }
    if (this.live.log.compare(this.cursor, upTo) < 0) this.cursor = upTo;
  }

  private add(event: ObservedEvent): void {
    const digested = this.digest.of(event);
    if (!digested) return;
    const { subject, day, zone, hashes, view } = digested;
    let digests = this.subjects.get(subject);
    if (!digests) {
      digests = Object.assign(new DayDigests(), { zone, views: new ViewHashes() });
      this.subjects.set(subject, digests);
    }
    if (view !== undefined) digests.views.add(day, view);
    for (const table in hashes) digests.add(table, day, hashes[table] as number);
  }
}

/** A day whose events are counted again, and how many there are, about. */
interface Recounted extends SubjectDay {
  readonly upTo: Cursor;
  readonly events: number;
}

/** Events of days that are counted together: their identities are in memory. */
const EVENTS_AT_ONCE = 500_000;

/**
 * Reads the log again, as often as their events need, and answers for each of these days the digests of its events, each
 * once: up to the cursor of the day, and up to an earlier one.
 */
export async function* recount<Day extends Recounted>(
  live: LivePartition,
  digest: EventDigest,
  days: readonly Day[],
  before: Cursor,
  rest: () => Promise<void>,
): AsyncIterable<Day & { readonly logged: DayDigests; readonly loggedBefore: DayDigests }> {
  const { log } = live;
  const left = [...days];
  while (left.length > 0) {
    const taken = takeDays(left);
    const some = new Map(taken.map((day) => [keyOf(day), countedAgain(day)]));
    const end = [...some.values()].reduce((last, { upTo }) => (log.compare(last, upTo) < 0 ? upTo : last), BEGINNING);
    for await (const [events] of eventsBetween<LoggedHit>(live, digest.types, BEGINNING, end)) {
      for (const { event, offset } of events) {
        const digested = digest.of(event);
        for (const day of digested ? daysAround(digested, event.at) : []) {
          const recounted = digested && some.get(keyOf({ subject: digested.subject, day }));
          if (!recounted || log.compare(String(offset), recounted.upTo) > 0) continue;
          if (!recounted.repeats.isNew(...digested.identity()) || day !== digested.day) continue;
          for (const [table, hash] of Object.entries(digested.hashes)) {
            recounted.logged.add(table, day, hash);
            if (log.compare(String(offset), before) <= 0) recounted.loggedBefore.add(table, day, hash);
          }
        }
      }
      await rest();
    }
    yield* some.values();
  }
}

/** Takes as many days from the end of a list as fit into memory together, and one at least. */
function takeDays<Day extends Recounted>(left: Day[]): Day[] {
  const taken: Day[] = [];
  for (let events = 0; events <= EVENTS_AT_ONCE;) {
    const day = left.pop();
    if (!day) break;
    taken.push(day);
    events += day.events;
  }
  return taken;
}

const countedAgain = <Day extends Recounted>(day: Day) => ({
  ...day,
  logged: new DayDigests(),
  loggedBefore: new DayDigests(),
  repeats: new RepeatFilter(),
});

/** The day of an event, and another one in which a repeat of it may lie. */
function daysAround({ zone }: DigestedEvent, at: number): ReadonlySet<number> {
  const calendar = calendarOf(zone);
  return new Set([at - REPEAT_MS, at, at + REPEAT_MS].map((time) => calendar.day(time)));
}
