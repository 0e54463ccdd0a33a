import { Inject, Injectable } from '@nestjs/common';
import { run, runPrepared } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { ThrottlerStorage } from '@nestjs/throttler';
import type { Pool } from 'pg';
import { POOL } from '../tokens';

type Count = Awaited<ReturnType<ThrottlerStorage['increment']>>;

const OUTAGE_MS = 1_000;

/** Requests per principal and window, shared by all api processes; while Postgres is away each counts its own. */
@Injectable()
export class RequestCounts implements ThrottlerStorage {
  private readonly own = new Map<string, { hits: number; resetsAt: number }>();
  private awayUntil = 0;

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async increment(key: string, ttl: number, limit: number): Promise<Count> {
    const { hits, leftMs } = await this.hit(key, ttl);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    return { totalHits: hits, timeToExpire: seconds, isBlocked: hits > limit, timeToBlockExpire: seconds };
  }

  private async hit(key: string, ttl: number): Promise<{ hits: number; leftMs: number }> {
    if (performance.now() < this.awayUntil) return this.hitHere(key, ttl);
    try {
      return await this.hitShared(key, ttl);
    } catch {
      this.awayUntil = performance.now() + OUTAGE_MS;
      return this.hitHere(key, ttl);
    }
  }

  private async hitShared(key: string, ttl: number): Promise<{ hits: number; leftMs: number }> {
    const [row] = await runPrepared<{ hits: number; left_ms: number }>(
      this.pool,
      'count',
      sql`
        insert into request_counts as c (principal, hits, resets_at)
        values (${key}, 1, clock_timestamp() + ${ttl} * interval '1 ms')
        on conflict (principal) do update set
          hits = case when c.resets_at <= clock_timestamp() then 1 else c.hits + 1 end,
          resets_at = case when c.resets_at <= clock_timestamp() then excluded.resets_at else c.resets_at end
        returning hits, extract(epoch from resets_at - clock_timestamp())::float8 * 1000 as left_ms`,
    );
    return { hits: row?.hits ?? 1, leftMs: row?.left_ms ?? ttl };
  }

  private hitHere(key: string, ttl: number): { hits: number; leftMs: number } {
    const now = performance.now();
    if (this.own.size > 100_000) this.own.clear();
    const known = this.own.get(key);
    const count = known && known.resetsAt > now ? known : { hits: 0, resetsAt: now + ttl };
    count.hits += 1;
    this.own.set(key, count);
    return { hits: count.hits, leftMs: count.resetsAt - now };
  }

  /** Forgets windows that are over. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from request_counts where resets_at < clock_timestamp()`);
  }
}
