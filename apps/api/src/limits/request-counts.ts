import { Inject, Injectable } from '@nestjs/common';
import { run, runPrepared } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Pool } from 'pg';
import { COUNT_POOL } from '../tokens';

/** Requests of a window so far, and its remaining time. */
interface Count {
  readonly hits: number;
  readonly leftMs: number;
}

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

const OUTAGE_MS = 1_000;
const MAX_LOCAL_WINDOWS = 100_000;

/** Requests per principal and window, shared by all api processes; while Postgres is away each counts its own. */
@Injectable()
export class RequestCounts implements ThrottlerStorage {
  private readonly local = new Map<string, { hits: number; resetsAt: number }>();
  private awayUntil = 0;

  constructor(@Inject(COUNT_POOL) private readonly pool: Pool) {}

  /** A window that is used up stays so until its end. */
  async increment(key: string, windowMs: number, limit: number): Promise<ThrottlerRecord> {
    const { hits, leftMs } = await this.hit(key, windowMs);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    return { totalHits: hits, timeToExpire: seconds, isBlocked: hits > limit, timeToBlockExpire: seconds };
  }

  private async hit(key: string, windowMs: number): Promise<Count> {
    if (performance.now() < this.awayUntil) return this.incrementLocal(key, windowMs);
    try {
      return await this.incrementShared(key, windowMs);
    } catch {
      this.awayUntil = performance.now() + OUTAGE_MS;
      return this.incrementLocal(key, windowMs);
    }
  }

  /** Deletes windows that are over. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from request_counts where resets_at < clock_timestamp()`);
  }

  private async incrementShared(key: string, windowMs: number): Promise<Count> {
    const [row] = await runPrepared<{ hits: number; left_ms: number }>(
      this.pool,
      'count',
      sql`
        insert into request_counts as c (principal, hits, resets_at)
        values (${key}, 1, clock_timestamp() + ${windowMs} * interval '1 ms')
        on conflict (principal) do update set
          hits = case when c.resets_at <= clock_timestamp() then 1 else c.hits + 1 end,
          resets_at = case when c.resets_at <= clock_timestamp() then excluded.resets_at else c.resets_at end
        returning hits, extract(epoch from resets_at - clock_timestamp())::float8 * 1000 as left_ms`,
    );
    return { hits: row?.hits ?? 1, leftMs: row?.left_ms ?? windowMs };
  }

  private incrementLocal(key: string, windowMs: number): Count {
    const now = performance.now();
    if (this.local.size > MAX_LOCAL_WINDOWS) this.local.clear();
    const known = this.local.get(key);
    const window = known && known.resetsAt > now ? known : { hits: 0, resetsAt: now + windowMs };
    window.hits += 1;
    this.local.set(key, window);
    return { hits: window.hits, leftMs: window.resetsAt - now };
  }
}
