import type { ErasureRule, ErasureRules } from '@ledgerline/domain/erasures/erasure-rules';
import { isDueToData, isServerError, isUnavailable } from '@ledgerline/platform/database/database-errors';
import { withoutNul } from '@ledgerline/platform/database/sql';
import {
  EpochChanged,
  LogTampered,
  LogUnavailable,
  type Cursor,
  type LogReader,
} from '@ledgerline/platform/log/log-reader';
import type { ProjectionGroup, WrittenTables } from '../projections/projection-group';
import type { EventToPark, ParkedSet } from './parked-events';

/** Where a runner is in its partition. */
export interface RunnerPosition {
  readonly partition: number;
  readonly version: number;
  readonly tables: WrittenTables;
  /** In which these are the tables of the version. */
  readonly layout: string;
  readonly cursor: Cursor;
  readonly digest: string | undefined;
  readonly epoch: string;
  /** True if the checkpoint says that the partition is stopped, which no batch has shown to be over yet. */
  readonly isStopped: boolean;
  readonly parked: ParkedSet;
  /** The rules of what is left out as it is erased. */
  readonly erased: ErasureRules;
  /** The revision of what is parked. */
  readonly parkedRevision: number;
}

/** A batch that was read from the log, without its events: these are not kept while the batch is written. */
export interface PartitionLogBatch {
  readonly from: RunnerPosition;
  /** The number of events that were read. */
  readonly size: number;
  /** The first one of them. */
  readonly first: unknown;
  readonly to: Cursor;
  readonly digest: string | undefined;
  readonly atHead: boolean;
  /** When reading it began, epoch ms. */
  readonly begunAt: number;
}

/** The position behind a batch that was written. */
export const positionAfterBatch = ({ from, to, digest }: PartitionLogBatch): RunnerPosition => ({
  ...from,
  cursor: to,
  digest,
  isStopped: false,
});

/** A batch cannot be projected because of one of its events; the cause is the error. */
export class BatchRefused extends Error {
  constructor(
    readonly batch: PartitionLogBatch,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'BatchRefused';
  }
}

/** Runs work on a batch. @throws BatchRefused for an error that an event may have caused */
export async function onBatch<T>(batch: PartitionLogBatch, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw isDueToEvents(error) ? new BatchRefused(batch, error) : error;
  }
}

/** False for what passes by itself, for another log, and where the server refuses a statement whatever its data. */
export function isDueToEvents(error: unknown): boolean {
  if (error instanceof LogUnavailable || error instanceof EpochChanged || error instanceof LogTampered) return false;
  if (isUnavailable(error)) return false;
  return !isServerError(error) || isDueToData(error);
}

interface Source<Event> {
  readonly log: LogReader<Event>;
  readonly group: ProjectionGroup<Event>;
  readonly partition: number;
  /** Where to stop, as if the log ended there; undefined = at its head. */
  readonly upTo?: Cursor | undefined;
}

type Read<Event> = Omit<PartitionLogBatch, 'size' | 'first' | 'begunAt'> & {
  readonly events: readonly Event[];
  /** Those that the group has no rows of. */
  readonly others: readonly Event[];
};

/** A batch of a partition as it is written, apart from what it changes. */
export interface PartitionBatch {
  readonly batch: PartitionLogBatch;
  /** The number of events that are projected. */
  readonly events: number;
  /** Events that wait behind parked ones, to be parked with them. */
  readonly parked: readonly EventToPark[];
  /** The rules of what is erased, too, as erased events show, and where the first of them is. */
  readonly found: readonly ErasureRule[];
  /** Epoch ms of the newest projected event; undefined without events. */
  readonly asOf: number | undefined;
}

/** With the events that are projected. */
export interface ReadBatch<Event> extends PartitionBatch {
  readonly projected: readonly Event[];
}

/** Reads the batches of a partition, without the events that are left out. */
export class BatchReader<Event> {
  constructor(private readonly source: Source<Event>) {}

  /** `max`: see ReadOptions; `isExact` cuts within a segment, too, which is then read more than once. */
  async read(from: RunnerPosition, { max, isExact }: { max: number; isExact: boolean }): Promise<ReadBatch<Event>> {
    const begunAt = Date.now();
    const whole = await this.readWhole(from, max);
    const { events, others, ...read } = isExact && whole.events.length > max ? this.cut(whole, max) : whole;
    const batch = { ...read, size: events.length, first: events[0], begunAt };
    return onBatch(batch, () => {
      const { left, found } = this.withoutErased(batch, events, others);
      const { projected, parked } = this.split(batch, left);
      const asOf = newest(projected.map((event) => this.source.group.loggedAt(event)));
      return Promise.resolve({ batch, projected, events: projected.length, parked, found, asOf });
    });
  }

  /** A batch as it would be if the log ended where the reader is to stop. */
  private async readWhole(from: RunnerPosition, max: number): Promise<Read<Event>> {
    const { log, group, partition, upTo: end } = this.source;
    const { cursor, digest } = from;
    if (end !== undefined && log.compare(cursor, end) >= 0)
      return { from, events: [], others: [], to: cursor, digest: undefined, atHead: true };
    const types = from.erased.isEmpty ? group.types : (group.erasedTypes ?? group.types);
    const { next, ...read } = await log.read(partition, cursor, { max, types, digest });
    const isOwn = (event: Event) => group.types.includes(group.hitIn?.(event).type ?? '');
    const own = types === group.types ? read.events : read.events.filter(isOwn);
    const others = types === group.types ? [] : read.events.filter((event) => !isOwn(event));
    const batch = { from, events: own, others, to: next, digest: read.digest, atHead: read.atHead };
    if (end === undefined || log.compare(next, end) <= 0) return batch;
    const events = own.filter((event) => log.compare(group.cursorOf(event), end) <= 0);
    const last = events.at(-1); // the end itself may be a position of the log that was there before
    return { ...batch, events, to: last ? group.cursorOf(last) : cursor, atHead: true, digest: undefined };
  }

  private cut(batch: Read<Event>, max: number): Read<Event> {
    const events = batch.events.slice(0, max);
    const last = events.at(-1);
    return last ? { ...batch, events, to: this.source.group.cursorOf(last), digest: undefined, atHead: false } : batch;
  }

  private withoutErased({ from: { erased } }: PartitionLogBatch, events: readonly Event[], others: readonly Event[]) {
    const { group, log, partition } = this.source;
    if (erased.isEmpty || !group.hitIn) return { left: events, found: [] };
    const left: Event[] = [];
    const found: ErasureRule[] = [];
    const late = new Map<string, ErasureRule>();
    const note = (event: Event, matching: readonly ErasureRule[]) => {
      for (const rule of matching.filter(({ kind }) => kind !== 'expired')) {
        const id = group.cursorOf(event);
        if (log.compare(late.get(rule.erasureId)?.id ?? id, id) < 0) continue;
        late.set(rule.erasureId, { ...rule, kind: 'hit', subject: String(partition), id });
      }
    };
    for (const event of events) {
      const hit = group.hitIn(event);
      const matching = erased.matching(hit);
      if (matching.length === 0) left.push(event);
      else found.push(...erased.shownBy(hit, matching));
      note(event, matching);
    }
    for (const event of others) note(event, erased.matching(group.hitIn(event)));
    return { left, found: [...found, ...late.values()] };
  }

  /**
   * Returns what is projected of a batch, and what waits behind parked events; nothing of what was accepted as left
   * out.
   */
  private split({ from }: PartitionLogBatch, events: readonly Event[]) {
    const { blocked, accepted } = from.parked;
    if (blocked.size === 0 && accepted.size === 0) return { projected: events, parked: [] };
    const projected: Event[] = [];
    const parked: EventToPark[] = [];
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
  describeFirst({ from, first }: PartitionLogBatch, error: unknown): EventToPark {
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

/** Returns whether Postgres takes it as one. */
const isTime = (at: number): boolean => at >= 0 && at < END_OF_TIME;

const newest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((a, b) => Math.max(a, b));
