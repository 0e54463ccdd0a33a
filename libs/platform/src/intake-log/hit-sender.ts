import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isUnavailable } from '../database/unavailable';
import { LogUnavailable } from '../log/log-reader';
import type { EncodedHit } from './encoded-hit';
import { CommitInDoubt, flush, type Flushed, hasLanded } from './flush';
import type { SendResult } from './intake-log';
import { maintainSeen } from './seen';
import { isMissingTable } from './refusal';

export interface SenderOptions {
  /** How long the first of several callers waits for the others, ms. */
  readonly lingerMs: number;
  /** Hits per transaction, unless one call has more. */
  readonly maxFlush: number;
  /** About so many bytes of JSON may wait ({@link EncodedHit.bytes}); beyond it a send is refused at once. */
  readonly maxWaitingBytes: number;
  /** How long a flush is tried again while the server is away, ms. */
  readonly patienceMs: number;
  /** The clock that says which day a hit arrives on; the database's unless a test has another. */
  readonly now?: (() => Date) | undefined;
}

interface Call {
  readonly hits: readonly EncodedHit[];
  readonly bytes: number;
  readonly resolve: (result: SendResult) => void;
  readonly reject: (error: unknown) => void;
}

const RETRY_MS = 100;

/**
 * Gathers what is sent at about the same time into one transaction. One flush at a time: while it runs the next one
 * gathers, so batches grow with the load, and hits keep their order.
 */
export class HitSender {
  private waiting: Call[] = [];
  private waitingBytes = 0;
  private running: Promise<void> | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly options: SenderOptions,
  ) {}

  send(hits: readonly EncodedHit[]): Promise<SendResult> {
    const bytes = hits.reduce((sum, hit) => sum + hit.bytes, 0);
    if (this.waiting.length > 0 && this.waitingBytes + bytes > this.options.maxWaitingBytes)
      return Promise.reject(new LogUnavailable('too many hits are waiting for the intake log'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ hits, bytes, resolve, reject });
      this.waitingBytes += bytes;
      this.running ??= this.drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.running;
  }

  private async drain(): Promise<void> {
    await sleep(this.options.lingerMs);
    while (this.waiting.length > 0) await this.deliver(this.take());
    this.running = undefined;
  }

  /** Whole calls, so that each is all or nothing. */
  private take(): Call[] {
    let hits = 0;
    let calls = 0;
    for (const call of this.waiting) {
      if (calls > 0 && hits + call.hits.length > this.options.maxFlush) break;
      hits += call.hits.length;
      calls++;
      this.waitingBytes -= call.bytes;
    }
    return this.waiting.splice(0, calls);
  }

  private async deliver(calls: readonly Call[]): Promise<void> {
    try {
      const flushed = await this.write(calls.flatMap(({ hits }) => hits));
      for (const call of calls) call.resolve(resultOf(call, flushed));
    } catch (error) {
      // who waited behind an outage has waited long enough
      const refused = error instanceof LogUnavailable ? [...calls, ...this.takeAll()] : calls;
      for (const call of refused) call.reject(error);
    }
  }

  private takeAll(): Call[] {
    this.waitingBytes = 0;
    return this.waiting.splice(0);
  }

  /** Tries until it is written or the patience ends. A try that failed wrote nothing, or is found to have landed. */
  private async write(hits: readonly EncodedHit[]): Promise<Flushed> {
    const deadline = performance.now() + this.options.patienceMs;
    let failure: unknown;
    for (;;) {
      try {
        if (failure instanceof CommitInDoubt && (await hasLanded(this.pool, failure.placed))) return failure.flushed;
        if (isMissingTable(failure)) await maintainSeen(this.pool, this.options.now?.());
        failure = undefined;
        return await flush(this.pool, hits, this.options.now?.());
      } catch (error) {
        if (!isTransient(error)) throw error;
        // TRICKY: a doubt stays until it is settled; another failure on the way must not replace it
        if (!(failure instanceof CommitInDoubt)) failure = error;
      }
      if (performance.now() > deadline) throw new LogUnavailable('the intake log is unreachable', { cause: failure });
      await sleep(RETRY_MS);
    }
  }
}

const isTransient = (error: unknown) => error instanceof CommitInDoubt || isMissingTable(error) || isUnavailable(error);

function resultOf({ hits }: Call, { stored, positions }: Flushed): SendResult {
  const own = new Map<number, string>();
  for (const { partition } of hits) own.set(partition, positions.get(partition) ?? '');
  return { outcomes: hits.map((hit) => (stored.has(hit) ? 'stored' : 'duplicate')), positions: own };
}
