import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  jsonEvent,
  MaxAppendSizeExceededError,
  NO_STREAM,
  type RecordedEvent as StoredEvent,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { LRUCache } from 'lru-cache';
import { type CheckedAppend, lastOf, sameContent, toExpected } from '@ledgerline/platform/event-store/appended-events';
import {
  type AppendResult,
  EventTooLarge,
  INTERNAL_ORGANIZATION,
  type RecordedEvent,
  type StreamName,
} from '@ledgerline/platform/event-store/event-store';
import { asOutcomeUnknown, LogUnavailable } from '@ledgerline/platform/log/log-reader';
import type { Deadline } from '@ledgerline/platform/log/timing';
import { type Acknowledged, isUnsent } from './append-stream';
import { type Connection, toLogUnavailable } from './connection';
import { asRecorded, type AppendAttempt, attemptOf, storedToRecordedEvent, toStored } from './envelope';
import { positionToCursor } from './position';
import type { RecentEvents } from './recent-events';

const RETRY_AFTER_MS = 300;
const PROBE_STREAM = `${INTERNAL_ORGANIZATION}-probe`;
const NEVER_REACHED = 2 ** 40;

/** Outcome of one try: stored, refused by the server at the stream's actual revision, or unknown. */
type Attempted =
  | ({ readonly outcome: 'stored' } & Acknowledged)
  | { readonly outcome: 'refused'; readonly actual: number }
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/** Appends to EventStoreDB by the port's rules, which are stricter than the server's own idempotency. */
export class EventStoreDbAppender {
  constructor(
    private readonly writing: Connection,
    private readonly reading: Connection,
    private readonly ids: EventIdCache,
    private readonly recent: RecentEvents,
  ) {}

  async append(append: CheckedAppend): Promise<AppendResult> {
    const attempt = { id: randomUUID(), at: new Date() };
    if (await this.isReplay(append)) return (await this.found(append, attempt)) ?? this.conflict(append);
    const first = await this.try(append, attempt);
    const answered = append.newIds ? this.answer(append, attempt, first) : undefined;
    if (answered) return answered;
    const isTriedAgain = first.outcome === 'unknown' && this.writing.hasTime(append.deadline, RETRY_AFTER_MS);
    const tried = isTriedAgain ? await this.tryAgain(append, attempt) : first;
    try {
      if (tried.outcome === 'unknown' && !this.writing.hasTime(append.deadline)) throw toLogUnavailable(tried.cause);
      return await this.resultOf(append, attempt, tried);
    } catch (error) {
      throw [first, tried].some(mayBeStored) ? asOutcomeUnknown(error) : error;
    }
  }

  private async resultOf(append: CheckedAppend, attempt: AppendAttempt, tried: Attempted): Promise<AppendResult> {
    const found = await this.found(append, attempt, tried); // to the server, the same ids with another body are a replay
    if (found) return found;
    if (tried.outcome === 'unknown') throw toLogUnavailable(tried.cause);
    return tried.outcome === 'refused' ? { ok: false, conflict: toExpected(tried.actual) } : this.conflict(append);
  }

  /** Asks for an append at a revision that the stream never has: a leader refuses it, also where the stream has a tombstone, and nothing is written. */
  async probe(): Promise<void> {
    try {
      await this.writing.append(PROBE_STREAM, [jsonEvent({ type: 'WriteProbed', data: {} })], NEVER_REACHED);
    } catch (error) {
      if (error instanceof WrongExpectedVersionError || error instanceof StreamDeletedError) return;
      throw error instanceof LogUnavailable ? error : toLogUnavailable(error);
    }
  }

  private async tryAgain(append: CheckedAppend, attempt: AppendAttempt): Promise<Attempted> {
    await setTimeout(RETRY_AFTER_MS);
    return this.try(append, attempt);
  }

  /** Returns whether one of the ids is in the stream already, at or below the expected revision. */
  private async isReplay({ stream, expected, events, deadline }: CheckedAppend): Promise<boolean> {
    const ids = await this.ids.upTo(stream, expected, async (from, count) =>
      (await this.read(stream, { from, maxCount: count, deadline })).map(storedToRecordedEvent),
    );
    return events.some(({ id }) => ids.has(id));
  }

  private async try({ stream, expected, events, deadline }: CheckedAppend, attempt: AppendAttempt): Promise<Attempted> {
    try {
      const stored = events.map((event) => toStored(event, attempt));
      return { outcome: 'stored', ...(await this.writing.append(stream, stored, expected, deadline)) };
    } catch (error) {
      if (error instanceof MaxAppendSizeExceededError) throw new EventTooLarge('The append is over 1 MiB.');
      if (error instanceof StreamDeletedError) throw toLogUnavailable(error); // nothing is stored
      if (!(error instanceof WrongExpectedVersionError)) return { outcome: 'unknown', cause: error };
      return { outcome: 'refused', actual: error.actualVersion === NO_STREAM ? -1 : Number(error.actualVersion) };
    }
  }

  /**
   * The result of the first try by the server's answer alone, for new ids: under them it can have stored nothing else.
   * Undefined where the answer leaves something open, such as the positions of several events.
   */
  private answer(
    { stream, expected, events }: CheckedAppend,
    attempt: AppendAttempt,
    tried: Attempted,
  ): AppendResult | undefined {
    if (tried.outcome === 'refused') return { ok: false, conflict: toExpected(tried.actual) };
    const [event, ...more] = events;
    if (tried.outcome === 'unknown' || !tried.position || !event || more.length > 0) return undefined;
    const { revision, position } = tried;
    if (revision !== expected + 1) return undefined;
    const recorded = asRecorded(event, { stream, revision, cursor: positionToCursor(position) }, attempt);
    this.ids.add(stream, [recorded]);
    return { ok: true, revision, cursor: recorded.cursor, replayed: false, events: [recorded] };
  }

  /** The result, if the stream holds exactly these events where this append puts them. */
  private async found(
    append: CheckedAppend,
    attempt: AppendAttempt,
    tried?: Attempted,
  ): Promise<AppendResult | undefined> {
    const { stream, expected, events, deadline } = append;
    const stored =
      (await this.justAcknowledged(append, tried)) ??
      (await this.read(stream, { from: expected + 1, maxCount: events.length, deadline }));
    const recorded = stored.map(storedToRecordedEvent);
    if (!events.every((event, at) => isSame(event, recorded[at]))) return undefined;
    this.ids.add(stream, recorded);
    const { revision, cursor } = lastOf(recorded);
    return { ok: true, revision, cursor, replayed: attemptOf(lastOf(stored)) !== attempt.id, events: recorded };
  }

  /** The fast path to a single event whose position the server has returned. */
  private async justAcknowledged({ stream, expected, events }: CheckedAppend, tried?: Attempted) {
    if (events.length > 1 || tried?.outcome !== 'stored' || !tried.position) return undefined;
    const event = await this.recent.at(tried.position);
    return event?.streamId === stream && event.revision === BigInt(expected + 1) ? [event] : undefined;
  }

  private async conflict({ stream, deadline }: CheckedAppend): Promise<AppendResult> {
    const [tail] = await this.reading.readStream(stream, { direction: 'backwards', maxCount: 1, deadline });
    return { ok: false, conflict: toExpected(tail?.event ? Number(tail.event.revision) : -1) };
  }

  private async read(
    stream: StreamName,
    { from, ...options }: { readonly from: number; readonly maxCount: number; readonly deadline: Deadline },
  ): Promise<StoredEvent[]> {
    const page = await this.reading.readStream(stream, { direction: 'forwards', from: BigInt(from), ...options });
    return page.flatMap(({ event }) => event ?? []);
  }
}

const mayBeStored = (tried: Attempted): boolean =>
  tried.outcome === 'stored' || (tried.outcome === 'unknown' && !isUnsent(tried.cause));

const isSame = (event: CheckedAppend['events'][number], recorded: RecordedEvent | undefined): boolean =>
  recorded?.id === event.id && sameContent(recorded, event);

interface CachedStream {
  /** Everything up to this revision is cached; -1 = nothing. */
  revision: number;
  readonly ids: Set<string>;
}

const MAX_STREAMS = 20_000;

/**
 * The event ids of streams that were read or written recently, from their first event on: EventStoreDB does not reject
 * an id again at the tail of a stream, so the adapter does.
 */
export class EventIdCache {
  private readonly streams = new LRUCache<StreamName, CachedStream>({ max: MAX_STREAMS });

  /** Adds events that continue what is cached; others are ignored. */
  add(stream: StreamName, events: readonly Pick<RecordedEvent, 'id' | 'revision'>[]): void {
    const cached = this.streams.get(stream) ?? { revision: -1, ids: new Set<string>() };
    for (const { id, revision } of events) {
      if (revision !== cached.revision + 1) continue;
      cached.ids.add(id);
      cached.revision = revision;
    }
    this.streams.set(stream, cached);
  }

  /** The ids up to a revision; `read` brings those that are missing, from a revision on, so many. */
  async upTo(
    stream: StreamName,
    revision: number,
    read: (from: number, count: number) => Promise<readonly RecordedEvent[]>,
  ): Promise<ReadonlySet<string>> {
    const cached = this.streams.get(stream)?.revision ?? -1;
    if (cached < revision) this.add(stream, await read(cached + 1, revision - cached));
    return this.streams.get(stream)?.ids ?? new Set();
  }
}
