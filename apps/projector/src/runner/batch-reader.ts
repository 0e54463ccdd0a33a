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
    const read = await this.read(from, max);
    const batch = isExact && read.events.length > max ? this.cut(read, max) : read;
    return onBatch(batch, async () => {
      const { projected, parked } = this.split(batch);
      const compute = await group.prepare(projected);
      const asOf = newest(projected.map((event) => group.loggedAt(event)));
      return { batch, events: projected.length, parked, asOf, compute };
    });
  }

  /** A batch as it would be if the log ended where the reader is to stop. */
  private async read(from: Position, max: number): Promise<Batch<Event>> {
    const { log, group, partition, upTo: end } = this.source;
    const { cursor, digest } = from;
    if (end !== undefined && log.compare(cursor, end) >= 0)
      return { from, events: [], to: cursor, digest: undefined, atHead: true };
    const { next, ...read } = await log.read(partition, cursor, { max, types: group.types, digest });
    const batch = { from, events: read.events, to: next, digest: read.digest, atHead: read.atHead };
    if (end === undefined || log.compare(next, end) < 0) return batch;
    const events = batch.events.filter((event) => log.compare(group.cursorOf(event), end) <= 0);
    const isWhole = log.compare(next, end) === 0;
    return { ...batch, events, to: end, atHead: true, digest: isWhole ? batch.digest : undefined };
  }

  private cut(batch: Batch<Event>, max: number): Batch<Event> {
    const events = batch.events.slice(0, max);
    const last = events.at(-1);
    return last ? { ...batch, events, to: this.source.group.cursorOf(last), digest: undefined, atHead: false } : batch;
  }

  /** What is projected of a batch, and what waits behind parked events; nothing of what was accepted as left out. */
  private split(batch: Batch<Event>): { projected: readonly Event[]; parked: readonly EventToPark[] } {
    const { blocked, accepted } = batch.from.parked;
    if (blocked.size === 0 && accepted.size === 0) return { projected: batch.events, parked: [] };
    const [projected, parked]: [Event[], EventToPark[]] = [[], []];
    for (const [place, event] of batch.events.entries()) {
      const described = this.describe(batch, place);
      if (accepted.has(described.cursor)) continue;
      if (blocked.has(described.orderKey)) parked.push(described);
      else projected.push(event);
    }
    return { projected, parked };
  }

  /** An event of a batch as it is parked. */
  describe({ from, events }: Batch, place: number, error?: unknown): EventToPark {
    const { group } = this.source;
    const event = events[place] as Event; // the batches of a reader have its events
    const [cursor, previous] = [group.cursorOf(event), events[place - 1] as Event | undefined];
    const after = previous === undefined ? from.cursor : group.cursorOf(previous);
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
