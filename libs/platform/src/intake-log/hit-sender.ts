import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Pool } from 'pg';
import { isMissingFunction, isMissingTable, isUnavailable } from '../database/database-errors';
import { Batcher } from '../log/batcher';
import { LogUnavailable, OutcomeUnknown } from '../log/log-reader';
import { maintainDeduplication } from './deduplication';
import type { EncodedHit } from './encoded-hit';
import { CommitInDoubt, flush, type Flushed, isCommitted } from './flush';
import type { SendResult } from './intake-log';
import { INTAKE_LOG_CHANGED } from './segment-chain';

export interface SenderOptions {
  /**
   * The time, ms, that the first of several callers waits for others while flushes follow each other and hits are few.
   */
  readonly lingerMs: number;
  /** Hits per transaction, unless one call has more. */
  readonly maxFlush: number;
  /** About so many bytes of JSON may be pending ({@link EncodedHit.bytes}); beyond it a send is refused at once. */
  readonly maxPendingBytes: number;
  /** The time for which a flush is retried while the server is unavailable, ms. */
  readonly retryForMs: number;
  /** Clock for the day a hit arrives on; by default the database's. */
  readonly now?: (() => Date) | undefined;
}

const RETRY_MS = 100;
/** Hits that are worth a transaction of their own. */
const LINGER_UP_TO = 16;

/** Gathers what is sent at about the same time into one transaction; hits keep their order. */
export class HitSender {
  /** Its items are the hits of one call, which are written together or not at all. */
  private readonly batcher: Batcher<readonly EncodedHit[], SendResult>;
  private pendingBytes = 0;

  constructor(
    private readonly pool: Pool,
    private readonly options: SenderOptions,
  ) {
    this.batcher = new Batcher((calls) => this.deliver(calls), {
      lingerMs: options.lingerMs,
      lingerUpTo: LINGER_UP_TO,
      maxBatch: options.maxFlush,
      sizeOf: (hits) => hits.length,
      isolates: (error) => !(error instanceof LogUnavailable),
      failsQueue: (error) => error instanceof LogUnavailable, // what waited behind an outage has waited long enough
    });
  }

  async send(hits: readonly EncodedHit[]): Promise<SendResult> {
    const bytes = hits.reduce((sum, hit) => sum + hit.bytes, 0);
    if (this.pendingBytes > 0 && this.pendingBytes + bytes > this.options.maxPendingBytes)
      throw new LogUnavailable('too many hits are waiting for the intake log');
    this.pendingBytes += bytes;
    try {
      return await this.batcher.submit(hits);
    } catch (error) {
      if (!isSegmentConflict(error)) throw error;
      throw new LogUnavailable(`${INTAKE_LOG_CHANGED}: a segment lies above the head. ${error.detail ?? ''}`, {
        cause: error,
      });
    } finally {
      this.pendingBytes -= bytes;
    }
  }

  /** Resolves when nothing is pending. */
  idle(): Promise<void> {
    return this.batcher.idle();
  }

  private async deliver(calls: readonly (readonly EncodedHit[])[]): Promise<SendResult[]> {
    const flushed = await this.write(calls.flat());
    return calls.map((hits) => resultOf(hits, flushed));
  }

  /** Retries until it is written or time is up. A failed try wrote nothing, or is found to be committed. */
  private async write(hits: readonly EncodedHit[]): Promise<Flushed> {
    const deadline = performance.now() + this.options.retryForMs;
    let failure: unknown;
    for (;;) {
      try {
        if (failure instanceof CommitInDoubt && (await isCommitted(this.pool, failure.placed))) return failure.flushed;
        if (isMissingDay(failure)) await maintainDeduplication(this.pool, this.options.now?.());
        failure = undefined;
        return await flush(this.pool, hits, this.options.now?.());
      } catch (error) {
        if (!isTransient(error)) throw error;
        // TRICKY: a doubt stays until it is settled; another failure on the way must not replace it
        if (!(failure instanceof CommitInDoubt)) failure = error;
      }
      if (performance.now() > deadline) {
        const Failure = failure instanceof CommitInDoubt ? OutcomeUnknown : LogUnavailable;
        throw new Failure('the intake log is unreachable', { cause: failure });
      }
      await sleep(RETRY_MS);
    }
  }
}

/** The day of arrival has no function, or one of its tables is gone. */
const isMissingDay = (error: unknown) => isMissingFunction(error) || isMissingTable(error);

const isTransient = (error: unknown) => error instanceof CommitInDoubt || isMissingDay(error) || isUnavailable(error);

/** Not a fault of the hits: those of other partitions are stored, and these are once the segment is gone. */
const isSegmentConflict = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && error.code === '23505' && error.table === 'intake_segments';

function resultOf(hits: readonly EncodedHit[], { stored, positions }: Flushed): SendResult {
  const own = new Map<number, string>();
  for (const { partition } of hits) own.set(partition, positions.get(partition) ?? '');
  return { outcomes: hits.map((hit) => (stored.has(hit) ? 'stored' : 'duplicate')), positions: own };
}
