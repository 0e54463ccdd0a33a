import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import type { LoggedHit } from '@ledgerline/platform/intake-log/intake-log';
import type { Cursor, LogReader } from '@ledgerline/platform/log/log-reader';

/** How many events, and the sum of their times of day (UTC, ms), by which another event in the place of one shows. */
export interface EventCount {
  readonly events: number;
  readonly times: number;
}

/** By table, or by the name of a sum. */
export type TableCounts = ReadonlyMap<string, EventCount>;

/** Where an event of the log has to be found in the tables. */
export interface Counted {
  readonly subject: string;
  readonly day: number;
  /** What it adds: 1 to the entries of a table, or an amount to a sum. */
  readonly adds: Readonly<Record<string, number>>;
  /** The weighted sum of the hashes of its texts, where tables hold these by ids. */
  readonly texts?: number;
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

/** In {@link TableCounts} the events with texts; `times` = the weighted sum of the hashes of these. */
export const TEXTS = 'dictionary';

const DAY_MS = 86_400_000;
/** Events of one read. */
const READ = 5_000;

/** The events of a partition after one position up to another, with the position after them. */
export async function* eventsBetween(
  { log, partition, types, isLeftOut }: LogPart,
  after: Cursor,
  upTo: Cursor,
): AsyncGenerator<readonly [events: readonly LoggedHit[], cursor: Cursor]> {
  let cursor = after;
  while (log.compare(cursor, upTo) < 0) {
    const { events, next } = await log.read(partition, cursor, { max: READ, types });
    if (next === cursor) return;
    cursor = log.compare(next, upTo) < 0 ? next : upTo;
    yield [events.filter(({ offset }) => log.compare(String(offset), upTo) <= 0 && !isLeftOut(String(offset))), cursor];
  }
}

/** Adds up events by day and table; what is not in it is 0. */
export class DayCounts {
  readonly days = new Map<number, Map<string, EventCount>>();

  add(table: string, day: number, at: number, amount = 1): void {
    this.addCount(table, day, countOf(at, amount));
  }

  /** Their events, at most once for each table. */
  get size(): number {
    let size = 0;
    for (const tables of this.days.values()) for (const { events } of tables.values()) size += events;
    return size;
  }

  /** A day that is compared though it has no events. */
  addDay(day: number): Map<string, EventCount> {
    const ofDay = this.days.get(day) ?? new Map<string, EventCount>();
    this.days.set(day, ofDay);
    return ofDay;
  }

  addCount(table: string, day: number, count: EventCount): void {
    const ofDay = this.addDay(day);
    ofDay.set(table, sumOf(ofDay.get(table) ?? NONE, count));
  }
}

/** Of events at an instant. */
export const countOf = (at: number, events: number): EventCount => ({
  events,
  times: ((at % DAY_MS) + DAY_MS) % DAY_MS,
});

/** What an event adds to each table. */
export const countsIn = (
  { at }: ObservedEvent,
  { adds, texts }: Counted,
): readonly (readonly [string, EventCount])[] => [
  ...Object.entries(adds).map(([table, amount]) => [table, countOf(at, amount)] as const),
  ...(texts === undefined ? [] : [[TEXTS, { events: 1, times: texts }] as const]),
];

/** The events of a partition of the log from a position on, by subject, day and table; repeats of an event count again. */
export class LogCounts {
  readonly subjects = new Map<string, DayCounts & { readonly zone: string }>();

  constructor(
    private readonly part: LogPart,
    private readonly count: CountEvent,
    /** Up to where it has read. */
    public cursor: Cursor,
  ) {}

  /** Reads on up to a cursor, or so many events; `rest` is called after each read. */
  async readTo(upTo: Cursor, rest: () => Promise<void> = () => Promise.resolve(), max = Infinity): Promise<void> {
    let left = max;
    for await (const [events, cursor] of eventsBetween(this.part, this.cursor, upTo)) {
      for (const { event } of events) this.add(event);
      this.cursor = cursor;
      await rest();
      left -= events.length;
      if (left <= 0) return;
    }
    if (this.part.log.compare(this.cursor, upTo) < 0) this.cursor = upTo;
  }

  private add(event: ObservedEvent): void {
    const counted = this.count(event);
    if (!counted) return;
    const { subject, day, zone } = counted;
    let counts = this.subjects.get(subject);
    if (!counts) this.subjects.set(subject, (counts = Object.assign(new DayCounts(), { zone })));
    for (const [table, count] of countsIn(event, counted)) counts.addCount(table, day, count);
  }
}

export const NONE: EventCount = { events: 0, times: 0 };

export const isSameCount = (a: EventCount, b: EventCount): boolean => a.events === b.events && a.times === b.times;

export const sumOf = (a: EventCount, b: EventCount): EventCount => ({
  events: a.events + b.events,
  times: a.times + b.times,
});
