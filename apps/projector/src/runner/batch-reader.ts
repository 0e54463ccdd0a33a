import { withoutNul } from '@ledgerline/platform/database/text';
import type { Cursor, LogReader } from '@ledgerline/platform/log/log-reader';
import type { Compute, ProjectionGroup } from '../projections/projection-group';
import { onBatch, type Batch, type Position } from './batch';
import type { EventToPark } from './parked-events';

interface Source<Event> {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  readonly partition: number;
  /** Where to stop, as if the log ended there; undefined = at its head. */
  readonly upTo?: Cursor | undefined;
}

type ReadBatch<Event> = Omit<Batch, 'size' | 'first'> & { readonly events: readonly Event[] };

/** A batch that was read and prepared. */
export interface PreparedBatch {
  readonly batch: Batch;
  /** How many events are projected. */
  readonly events: number;
  /** Events that wait behind parked ones, to be parked with them. */
  readonly parked: readonly EventToPark[];
  /** Epoch ms of the newest projected event; undefined without events. */
  readonly asOf: number | undefined;
  readonly compute: Compute;
}

/** Reads and prepares the batches of a partition, without the events that are left out. */
export class BatchReader<Event> {
  constructor(private readonly source: Source<Event>) {}

  /** `max`: see ReadOptions; `isExact` cuts within a segment, too, which is then read more than once. */
  async prepare(from: Position, { max, isExact }: { max: number; isExact: boolean }): Promise<PreparedBatch> {
    const { group } = this.source;
    const whole = await this.read(from, max);
    const { events, ...read } = isExact && whole.events.length > max ? this.cut(whole, max) : whole;
    const batch = { ...read, size: events.length, first: events[0] };
    return onBatch(batch, async () => {
      const { projected, parked } = this.split(batch, events);
      const compute = await group.prepare(projected);
      const asOf = newest(projected.map((event) => group.loggedAt(event)));
      return { batch, events: projected.length, parked, asOf, compute };
    });
  }

  /** A batch as it would be if the log ended where the reader is to stop. */
  private async read(from: Position, max: number): Promise<ReadBatch<Event>> {
    const { log, group, partition, upTo: end } = this.source;
    const { cursor, digest } = from;
    if (end !== undefined && log.compare(cursor, end) >= 0)
      return { from, events: [], to: cursor, digest: undefined, atHead: true };
    const { next, ...read } = await log.read(partition, cursor, { max, types: group.types, digest });
    const batch = { from, events: read.events, to: next, digest: read.digest, atHead: read.atHead };
    if (end === undefined || log.compare(next, end) < 0) return batch;
    const events = batch.events.filter((event) => log.compare(group.cursorOf(event), end) <= 0);
    if (log.compare(next, end) === 0) return batch;
    const last = events.at(-1); // the end itself may be a position of the log that was there before
    return { ...batch, events, to: last ? group.cursorOf(last) : cursor, atHead: true, digest: undefined };
  }

  private cut(batch: ReadBatch<Event>, max: number): ReadBatch<Event> {
    const events = batch.events.slice(0, max);
    const last = events.at(-1);
    return last ? { ...batch, events, to: this.source.group.cursorOf(last), digest: undefined, atHead: false } : batch;
  }

  /** What is projected of a batch, and what waits behind parked events; nothing of what was accepted as left out. */
  private split({ from }: Batch, events: readonly Event[]) {
    const { blocked, accepted } = from.parked;
    if (blocked.size === 0 && accepted.size === 0) return { projected: events, parked: [] };
    const [projected, parked]: [Event[], EventToPark[]] = [[], []];
    for (const [place, event] of events.entries()) {
      const before = events[place - 1];
      const after = before === undefined ? from.cursor : this.source.group.cursorOf(before);
      const described = this.describe(event, after);
      if (accepted.has(described.cursor)) continue;
      if (blocked.has(described.orderKey)) parked.push(described);
      else projected.push(event);
    }
    return { projected, parked };
  }

  /** The first event of a batch as it is parked. */
  describeFirst({ from, first }: Batch, error: unknown): EventToPark {
    return this.describe(first as Event, from.cursor, error); // the batches of a reader have its events
  }

  private describe(event: Event, after: Cursor, error?: unknown): EventToPark {
    const { group } = this.source;
    const cursor = group.cursorOf(event);
    return { ...describeOrUnknown(group, event, cursor), cursor, after, error };
  }
}

/** Nothing waits behind an event that lacks what its type has. */
function describeOrUnknown<Event>(group: ProjectionGroup<Event>, event: Event, cursor: Cursor) {
  try {
    const { id, type, subject, orderKey, at } = group.describe(event);
    const texts = { id: textOf(id), type: textOf(type), subject: textOf(subject), orderKey: textOf(orderKey) };
    return { ...texts, at: isTime(at) ? at : undefined };
  } catch {
    return { id: '', type: '', subject: '', orderKey: `cursor ${cursor}`, at: undefined };
  }
}

/** A log may have what the types of events exclude. */
const textOf = (value: unknown): string => withoutNul(String(value));

const END_OF_TIME = Date.UTC(10_000, 0);

/** Whether Postgres takes it as one. */
const isTime = (at: number): boolean => at >= 0 && at < END_OF_TIME;

const newest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
