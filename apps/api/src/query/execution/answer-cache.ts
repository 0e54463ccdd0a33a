import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Metrics, observeCache } from '@ledgerline/platform/metrics/metrics';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SETTINGS } from '../../tokens';
import { heapRoom } from '../session-columns/memory-budget';
import type { QueryType } from '../declaration/query-type';
import type { QueryRequest } from '../request/read-requests';
import type { Snapshot, Deadline } from '../snapshot/snapshot';
import type { Audience } from '../snapshot/snapshot-runner';

/** A part of an answer. */
export interface Computed<T> {
  readonly value: T;
  /** About as many as it has as JSON. */
  readonly bytes: number;
  /** False for one that failed: it is neither kept nor shared. */
  readonly isKept: boolean;
}

/** The request that wants a part. */
export interface Asking {
  readonly audience: Audience;
  readonly deadline: Pick<Deadline, 'left'>;
}

interface Computing {
  readonly audience: Audience;
  readonly result: Promise<Computed<unknown>>;
}

/** Of a part beside its rows: its key and place in the cache. */
const OVERHEAD = 512;
/** Rows take up to so many times the bytes of their JSON. */
const OBJECTS = 2;
const MIB = 1024 * 1024;
/** All answers together take no more of the room in the heap than this part. */
const OF_ROOM = 1 / 8;
/** A long list takes no more of the cache than this part. */
const LARGEST = 1 / 8;

/** Parts of answers, each by a key that names everything it rests on, so that none is ever stale; those asked for at the same time are computed once. */
@Injectable()
export class AnswerCache {
  private readonly kept: LRUCache<string, Computed<unknown>> | undefined;
  private readonly computing = new Map<string, Computing>();
  hits = 0;
  misses = 0;

  constructor(@Inject(SETTINGS) { answerCacheMb }: Pick<Settings, 'answerCacheMb'>, metrics: Metrics) {
    const maxSize = Math.min(answerCacheMb * MIB, heapRoom() * OF_ROOM);
    const sizeCalculation = ({ bytes }: Computed<unknown>) => bytes * OBJECTS + OVERHEAD;
    if (maxSize > 0) this.kept = new LRUCache({ maxSize, maxEntrySize: maxSize * LARGEST, sizeCalculation });
    const bytes = 'Memory of the answers that are kept';
    const reads =
      'Parts of answers that questions need, by whether they were kept or being computed (hit) or not (miss)';
    observeCache(metrics, { name: 'answer', bytes, reads }, this);
  }

  get size(): number {
    return this.kept?.calculatedSize ?? 0;
  }

  /**
   * The part of this key, or else as it is computed now.
   * @param fits whether a part that others have computed can be taken
   * @throws what computing throws; failures of others are not shared
   */
  async find<T>(
    key: string,
    asking: Asking,
    compute: () => Promise<Computed<T>>,
    fits: (bytes: number) => boolean = () => true,
  ): Promise<T> {
    if (!this.kept) return (await compute()).value;
    const others = this.computing.get(key);
    // TRICKY: nothing is awaited where no request computes it, as another request would begin to meanwhile
    const known = this.kept.get(key) ?? (others && (await sharedWith(others, asking)));
    if (known && fits(known.bytes)) {
      this.hits++;
      return known.value as T; // a key names what kind of part it is of
    }
    asking.audience.signal.throwIfAborted();
    this.misses++;
    const computing = { audience: asking.audience, result: compute() };
    if (!this.computing.has(key)) this.computing.set(key, computing);
    try {
      const computed = await computing.result;
      if (computed.isKept) this.kept.set(key, computed);
      return computed.value;
    } finally {
      if (this.computing.get(key) === computing) this.computing.delete(key);
    }
  }
}

/** What another request computes; undefined if it fails or is not wanted any more, or the asking one cannot wait any longer. */
async function sharedWith(
  { audience: others, result }: Computing,
  { audience, deadline }: Asking,
): Promise<Computed<unknown> | undefined> {
  if (others.signal.aborted || audience.signal.aborted) return undefined;
  const leave = others.join(audience.signal);
  try {
    const over = AbortSignal.any([audience.signal, AbortSignal.timeout(deadline.left())]);
    const computed = await Promise.race([result, once(over, 'abort').then(() => undefined)]);
    return computed?.isKept ? computed : undefined;
  } catch {
    return undefined;
  } finally {
    leave();
  }
}

/**
 * Whether an answer depends on nothing but the tables, and on the clock no more than ranges do. Keys of profiles may be
 * erased, and links have the names that they have now.
 */
export const isSteady = ({ about, range, fields, sources }: QueryType, ...asked: readonly unknown[]): boolean =>
  about !== 'monitor' &&
  !sources.own &&
  !Object.values(fields).some(({ from }) => from) &&
  range !== 'minutes' &&
  !JSON.stringify(asked).includes('"external_id"');

/**
 * Names a part of the answer to a request by what is asked, as far as its caller may read it, the state of the tables,
 * and the time: days and buckets of all zones begin with a quarter of an hour, and nothing changes in one that is over.
 * What goes on after its range changes with the quarter up to which everything is included.
 */
export function answerKey(
  part: string,
  { subject, parameters, id: _id, notes: _notes, ...asked }: QueryRequest,
  { state, now, includedQuarter }: Pick<Snapshot, 'state' | 'now' | 'includedQuarter'>,
): string {
  const { visitorIdentity } = subject;
  const endOf = (endDate: string) => instantsOf({ startDate: endDate, endDate }, asked.zone).to;
  const types = parameters.map(({ type, notes: _notes, ...own }) => {
    const { endDate, options } = own;
    const { takes } = type;
    const goesOnUntil = takes.goesOnFor && endOf(endDate) + takes.goesOnFor({ options, visitorIdentity });
    return [type.name, own, goesOnUntil === undefined ? null : Math.min(goesOnUntil, includedQuarter)];
  });
  const isOver = parameters.every(({ type, endDate }) => type.range !== 'today' && endOf(endDate) <= now);
  const time = isOver ? null : Math.floor(now / FIFTEEN_MINUTES_MS);
  const named = JSON.stringify([part, state, subject, asked, types, time]);
  return createHash('sha256').update(named).digest('base64');
}
