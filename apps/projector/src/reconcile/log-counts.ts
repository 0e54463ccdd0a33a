import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, type Cursor, type LogReader } from '@ledgerline/platform/log/log-reader';

/** How many events, and the sum of their times of day (UTC, ms), by which another event in the place of one shows. */
export interface EventCount {
  readonly events: number;
  readonly times: number;
}

/** By table and day; what is not in it is 0. */
export type TableCounts = ReadonlyMap<string, ReadonlyMap<number, EventCount>>;

/** Where an event of the log has to be found in the tables. */
export interface Counted {
  readonly subject: string;
  readonly day: number;
  /** What it adds: 1 to the entries of a table, or an amount to a sum. */
  readonly adds: Readonly<Record<string, number>>;
  /** Two events with the same are one in the tables. */
  readonly identity: string;
  /** IANA, of the days of the subject. */
  readonly zone: string;
}

/** Undefined for an event without a subject. */
export type CountEvent = (event: ObservedEvent) => Counted | undefined;

export interface LogPart {
  readonly log: LogReader<LoggedHit>;
  readonly partition: number;
  readonly types: readonly string[];
  /** Whether the tables lack the event at this cursor on purpose. */
  readonly isLeftOut: (cursor: Cursor) => boolean;
}

const DAY_MS = 86_400_000;
/** Events of one read. */
const READ = 5_000;

/** The events of a partition after one position up to another, both as cursors. */
export async function* eventsBetween(
  { log, partition, types, isLeftOut }: LogPart,
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly LoggedHit[]> {
  let cursor = after;
  while (log.compare(cursor, upTo) < 0) {
    const { events, next } = await log.read(partition, cursor, { max: READ, types });
    if (next === cursor) return;
    yield events.filter(({ offset }) => log.compare(String(offset), upTo) <= 0 && !isLeftOut(String(offset)));
    cursor = next;
  }
}

/** Adds up events by table and day. */
export class EventCounts {
  readonly tables = new Map<string, Map<number, { events: number; times: number }>>();

  add(table: string, day: number, at: number, amount = 1): void {
    const ofTable = this.tables.get(table) ?? new Map<number, { events: number; times: number }>();
    this.tables.set(table, ofTable);
    const count = ofTable.get(day) ?? { events: 0, times: 0 };
    ofTable.set(day, count);
    count.events += amount;
    count.times += ((at % DAY_MS) + DAY_MS) % DAY_MS;
  }
}

/** The events of a partition of the log, by subject, table and day; repeats of an event count again. */
export class LogCounts {
  readonly subjects = new Map<string, EventCounts & { readonly zone: string }>();
  private cursor: Cursor = BEGINNING;

  /** Up to where it has read. */
  get position(): Cursor {
    return this.cursor;
  }

  constructor(
    private readonly part: LogPart,
    private readonly count: CountEvent,
  ) {}

  /** Reads on up to a cursor; `rest` is called after each read. */
  async readTo(upTo: Cursor, rest: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    for await (const events of eventsBetween(this.part, this.cursor, upTo)) {
      for (const { event } of events) this.add(event);
      await rest();
    }
    if (this.part.log.compare(this.cursor, upTo) < 0) this.cursor = upTo;
  }

  private add(event: ObservedEvent): void {
    const counted = this.count(event);
    if (!counted) return;
    const { subject, day, adds, zone } = counted;
    let counts = this.subjects.get(subject);
    if (!counts) this.subjects.set(subject, (counts = Object.assign(new EventCounts(), { zone })));
    for (const [table, amount] of Object.entries(adds)) counts.add(table, day, event.at, amount);
  }
}

/** A day whose tables did not have the events of the log when these were at a cursor. */
export interface Suspect {
  readonly subject: string;
  readonly day: number;
  readonly table: string;
  readonly stored: EventCount;
  readonly upTo: Cursor;
}

/** Counts the events of these days again, each one once, and gives those that differ nevertheless. */
export async function confirmSuspects(
  part: LogPart,
  count: CountEvent,
  suspects: readonly Suspect[],
  rest: () => Promise<void>,
): Promise<(Suspect & { readonly logged: EventCount })[]> {
  if (suspects.length === 0) return [];
  const keyOf = ({ subject, day }: Pick<Suspect, 'subject' | 'day'>, table: string) => `${subject} ${day} ${table}`;
  const wanted = new Map(
    suspects.map((suspect) => [
      keyOf(suspect, suspect.table),
      { ...suspect, counts: new EventCounts(), seen: new Set<string>() },
    ]),
  );
  const end = suspects.map(({ upTo }) => upTo).reduce((a, b) => (part.log.compare(a, b) < 0 ? b : a));
  for await (const events of eventsBetween(part, BEGINNING, end)) {
    for (const { event, offset } of events) {
      const counted = count(event);
      for (const table of Object.keys(counted?.adds ?? {})) {
        const suspect = counted && wanted.get(keyOf(counted, table));
        if (!suspect || suspect.seen.has(counted.identity)) continue;
        if (part.log.compare(String(offset), suspect.upTo) > 0) continue;
        suspect.seen.add(counted.identity);
        suspect.counts.add(table, counted.day, event.at);
      }
    }
    await rest();
  }
  return suspects.flatMap((suspect) => {
    const { counts } = wanted.get(keyOf(suspect, suspect.table)) ?? {};
    const logged = counts?.tables.get(suspect.table)?.get(suspect.day) ?? NONE;
    return isSameCount(logged, suspect.stored) ? [] : [{ ...suspect, logged }];
  });
}

export const NONE: EventCount = { events: 0, times: 0 };

export const isSameCount = (a: EventCount, b: EventCount): boolean => a.events === b.events && a.times === b.times;

/** Counts that differ, as rows that are missing or too many. */
export function asDifference(expected: EventCount, found: EventCount) {
  const more = expected.events - found.events;
  return { missing: Math.max(more, 0), extra: Math.max(-more, 0), changed: more === 0 ? 1 : 0, expected, found };
}
