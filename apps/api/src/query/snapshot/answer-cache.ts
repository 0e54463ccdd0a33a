import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { instantsOf } from '@ledgerline/domain/query/buckets';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import type { Settings } from '@ledgerline/platform/config/settings';
import { inOneFlush, run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Metrics, observeCache } from '@ledgerline/platform/metrics/metrics';
import { SETTINGS } from '../../tokens';
import type { QueryType } from '../declaration/query-type';
import type { QueryRequest } from '../request/read-requests';
import { heapRoom } from '../session-columns/memory-budget';

/** A part of an answer. */
export interface Computed<T> {
  readonly value: T;
  /** About as many as it has as JSON. */
  readonly bytes: number;
  /** False for one that failed: it is neither kept nor shared. */
  readonly isCacheable: boolean;
}

/** The clients that wait for what a request computes: its own, and those who asked the same meanwhile. */
export class Audience {
  private readonly gone = new AbortController();
  private clients = 0;
  /** Aborted when all of them have gone away. */
  readonly signal = this.gone.signal;

  constructor(client: AbortSignal) {
    this.join(client);
  }

  /** Until the client goes away, or leaves by the function that is returned. */
  join(client: AbortSignal): () => void {
    let isLeft = false;
    const leave = () => {
      if (isLeft) return;
      isLeft = true;
      client.removeEventListener('abort', leave);
      if (--this.clients === 0) this.gone.abort();
    };
    this.clients++;
    client.addEventListener('abort', leave, { once: true });
    if (client.aborted) leave();
    return leave;
  }
}

export const abandoned = (): Problem => new Problem('SERVICE_UNAVAILABLE', 'The client went away before the answer.');

const CANCEL_EVERY_MS = 20;

/** Ends the statements of a client in Postgres, too, once nobody waits for them. @throws Problem SERVICE_UNAVAILABLE then */
export async function untilGone<T>(
  client: PoolClient,
  { signal, others }: { signal: AbortSignal; others: Pool },
  work: () => Promise<T>,
): Promise<T> {
  const { processID: processId } = client as PoolClient & { processID: number }; // its declarations leave it out
  let isOver = false;
  let cancelling = Promise.resolve();
  // TRICKY: more than once, as a cancellation between two statements does not end the next one
  const cancel = async () => {
    while (!isOver) {
      await run(others, sql`select pg_cancel_backend(${processId}::int)`).catch(() => undefined);
      await sleep(CANCEL_EVERY_MS);
    }
  };
  const begin = () => void (cancelling = cancel());
  signal.addEventListener('abort', begin, { once: true });
  try {
    return await work();
  } catch (error) {
    throw signal.aborted ? abandoned() : error;
  } finally {
    isOver = true;
    signal.removeEventListener('abort', begin);
    await cancelling;
  }
}

/** The time limit of a request or batch. */
const REQUEST_MS = 30_000;

/** The time left to a request, which all of its statements share. */
export class Deadline {
  private readonly ends: number;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.ends = now() + REQUEST_MS;
  }

  /** Whole ms. @throws Problem SERVICE_UNAVAILABLE when there are none */
  left(): number {
    const left = Math.floor(this.ends - this.now());
    if (left < 1) throw outOfTime();
    return left;
  }

  /**
   * Does work in this transaction whose statements are ended when the time is over.
   * @throws Problem SERVICE_UNAVAILABLE when it already is; no statement is sent then
   */
  async within<T>(on: PoolClient, work: () => Promise<T>): Promise<T> {
    const limit = `set local statement_timeout = ${this.left()}`;
    const [, done] = await inOneFlush(on, () => Promise.all([on.query(limit), work()]));
    return done;
  }
}

const SECONDS = REQUEST_MS / 1_000;
const OUT_OF_TIME = `The request took longer than the ${SECONDS} seconds it has in all; ask less at once.`;

export const outOfTime = (): Problem => new Problem('SERVICE_UNAVAILABLE', OUT_OF_TIME, undefined, 1);

/** The request that wants a part. */
interface PartRequest {
  readonly audience: Audience;
  readonly deadline: Pick<Deadline, 'left'>;
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
