import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { Metrics, observeCache } from '@ledgerline/platform/metrics/metrics';
import { SETTINGS } from '../../tokens';
import type { QueryType } from '../declaration/query-type';
import type { QueryRequest } from '../request/read-requests';
import { heapRoom } from '../session-columns/memory-budget';
import type { Audience, QueryDeadline } from './request-lifetime';

/** A part of an answer. */
export interface Computed<T> {
  readonly value: T;
  /** About as many as it has as JSON. */
  readonly bytes: number;
  /** False for one that failed: it is neither kept nor shared. */
  readonly isCacheable: boolean;
}

/** The request that wants a part. */
interface PartRequest {
  readonly audience: Audience;
  readonly deadline: Pick<QueryDeadline, 'left'>;
}

interface Computing {
  readonly audience: Audience;
  readonly result: Promise<Computed<unknown>>;
}

/** The bytes of a part beside its rows: its key and place in the cache. */
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
  private readonly parts: LRUCache<string, Computed<unknown>> | undefined;
  private readonly computing = new Map<string, Computing>();
  hits = 0;
  misses = 0;

  constructor(@Inject(SETTINGS) { answerCacheMb }: Pick<Settings, 'answerCacheMb'>, metrics: Metrics) {
    const maxSize = Math.min(answerCacheMb * MIB, heapRoom() * OF_ROOM);
    const sizeCalculation = ({ bytes }: Computed<unknown>) => bytes * OBJECTS + OVERHEAD;
    if (maxSize > 0) this.parts = new LRUCache({ maxSize, maxEntrySize: maxSize * LARGEST, sizeCalculation });
    const bytes = 'Memory of the answers that are kept';
    const reads =
      'Parts of answers that questions need, by whether they were kept or being computed (hit) or not (miss)';
    observeCache(metrics, { name: 'answer', bytes, reads }, this);
  }

  get size(): number {
    return this.parts?.calculatedSize ?? 0;
  }

  /**
   * The part of this key, or else as it is computed now.
   * @param fits whether a part that others have computed can be taken
   * @throws what computing throws; failures of others are not shared
   */
  async find<T>(
    key: string,
    request: PartRequest,
    compute: () => Promise<Computed<T>>,
    fits: (bytes: number) => boolean = () => true,
  ): Promise<T> {
    if (!this.parts) return (await compute()).value;
    const others = this.computing.get(key);
    // TRICKY: nothing is awaited where no request computes it, as another request would begin to meanwhile
    const known = this.parts.get(key) ?? (others && (await sharedWith(others, request)));
    if (known && fits(known.bytes)) {
      this.hits++;
      return known.value as T; // a key names what kind of part it is of
    }
    request.audience.signal.throwIfAborted();
    this.misses++;
    const computing = { audience: request.audience, result: compute() };
    if (!this.computing.has(key)) this.computing.set(key, computing);
    try {
      const computed = await computing.result;
      if (computed.isCacheable) this.parts.set(key, computed);
      return computed.value;
    } finally {
      if (this.computing.get(key) === computing) this.computing.delete(key);
    }
  }
}

/**
 * Returns what another request computes; undefined if it fails or is not wanted any more, or this one cannot wait any
 * longer.
 */
async function sharedWith(
  { audience: others, result }: Computing,
  { audience, deadline }: PartRequest,
): Promise<Computed<unknown> | undefined> {
  if (others.signal.aborted || audience.signal.aborted) return undefined;
  const leave = others.join(audience.signal);
  try {
    const over = AbortSignal.any([audience.signal, AbortSignal.timeout(deadline.left())]);
    const computed = await Promise.race([result, once(over, 'abort').then(() => undefined)]);
    return computed?.isCacheable ? computed : undefined;
  } catch {
    return undefined;
  } finally {
    leave();
  }
}

/**
 * Returns whether an answer depends on nothing but the tables, and on the clock no more than ranges do. Keys of
 * profiles may be erased, and links have the names that they have now.
 */
export const isSteady = ({ about, range, fields, sources }: QueryType, ...given: readonly unknown[]): boolean =>
  about !== 'monitor' &&
  !sources.own &&
  !Object.values(fields).some(({ from }) => from) &&
  range !== 'minutes' &&
  !JSON.stringify(given).includes('"external_id"');

/**
 * Names a part of the answer to a request by what is asked, as far as its caller may read it, the state of the tables,
 * and the time: days and buckets of all zones begin with a quarter of an hour, and nothing changes in one that is over.
 * What goes on after its range changes with the quarter up to which everything is included.
 */
export function answerKey(
  part: string,
  { target, parameters, id: _id, notes: _notes, ...request }: QueryRequest,
  { state, now, includedQuarter }: { readonly state: string; readonly now: number; readonly includedQuarter: number },
): string {
  const { visitorIdentity } = target;
  const endOf = (endDate: string) => instantsOf({ startDate: endDate, endDate }, request.zone).to;
  const types = parameters.map(({ type, notes: _notes, ...own }) => {
    const { endDate, options } = own;
    const { takes } = type;
    const goesOnUntil = takes.goesOnFor && endOf(endDate) + takes.goesOnFor({ options, visitorIdentity });
    return [type.name, own, goesOnUntil === undefined ? null : Math.min(goesOnUntil, includedQuarter)];
  });
  const isOver = parameters.every(({ type, endDate }) => type.range !== 'today' && endOf(endDate) <= now);
  const time = isOver ? null : Math.floor(now / FIFTEEN_MINUTES_MS);
  const named = JSON.stringify([part, state, target, request, types, time]);
  return createHash('sha256').update(named).digest('base64');
}
