import { createHmac } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@ledgerline/platform/config/settings';
import { run, runPrepared } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { Batcher } from '@ledgerline/platform/log/batcher';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { COUNT_POOL, SETTINGS } from '../tokens';

/** Requests of a window so far, and its remaining time. */
interface Count {
  readonly hits: number;
  readonly leftMs: number;
}

/** A request of a principal, in windows of so many ms. */
interface Request {
  readonly key: string;
  readonly windowMs: number;
}

type ThrottlerRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

const OUTAGE_MS = 1_000;
const MAX_LOCAL_WINDOWS = 100_000;
/** Hashing a principal anew takes a fortieth of the CPU of a small request. */
const MAX_HASHES = 10_000;
const MAX_BATCH = 1_000;
/** Requests that arrive while a statement is answered share the next one. */
const LINGER_MS = 5;

/** What a principal is stored as: without the pepper it is neither an address nor an id. */
export const hashPrincipal = (key: string, pepper: string): string =>
  createHmac('sha256', pepper).update(`principal:${key}`).digest('base64url');

/** Requests per principal and window, shared by all api processes; while Postgres is away each counts its own. */
@Injectable()
export class RequestCounts implements ThrottlerStorage {
  private readonly local = new Map<string, { hits: number; resetsAt: number }>();
  private readonly hashes = new LRUCache<string, string>({ max: MAX_HASHES });
  private awayUntil = 0;
  private readonly increments = new Batcher<Request, Count>((requests) => this.incrementShared(requests), {
    maxBatch: MAX_BATCH,
    lingerMs: LINGER_MS,
  });

  constructor(
    @Inject(COUNT_POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'keyPepper'>,
  ) {}

  /** A window that is used up stays so until its end. */
  async increment(key: string, windowMs: number, limit: number): Promise<ThrottlerRecord> {
    const { hits, leftMs } = await this.hit(key, windowMs);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    return { totalHits: hits, timeToExpire: seconds, isBlocked: hits > limit, timeToBlockExpire: seconds };
  }

  /** Takes one request out of the present window. */
  async decrement(key: string): Promise<void> {
    await run(
      this.pool,
      sql`update request_counts set hits = hits - 1 where principal = ${this.hashOf(key)} and hits > 0`,
    );
  }

  private async hit(key: string, windowMs: number): Promise<Count> {
    if (performance.now() < this.awayUntil) return this.incrementLocal(key, windowMs);
    try {
      return await this.increments.submit({ key: this.hashOf(key), windowMs });
    } catch {
      this.awayUntil = performance.now() + OUTAGE_MS;
      return this.incrementLocal(key, windowMs);
    }
  }

  private hashOf(key: string): string {
    const known = this.hashes.get(key);
    if (known !== undefined) return known;
    const hash = hashPrincipal(key, this.settings.keyPepper);
    this.hashes.set(key, hash);
    return hash;
  }

  /** Deletes windows that are over. */
  async sweep(): Promise<void> {
    await run(this.pool, sql`delete from request_counts where resets_at < clock_timestamp()`);
  }

  /** Adds the requests of each principal up, in one statement for all that wait, and gives each request its number. */
  private async incrementShared(requests: readonly Request[]): Promise<Count[]> {
    const sums = new Map<string, Request & { count: number }>();
    for (const { key, windowMs } of requests) {
      const sum = sums.get(key);
      if (sum) sum.count += 1;
      else sums.set(key, { key, windowMs, count: 1 });
    }
    const added = [...sums.values()];
    const rows = await runPrepared<{ principal: string; hits: number; left_ms: number }>(
      this.pool,
      'count',
      sql`
        insert into request_counts as c (principal, hits, resets_at)
        select principal, hits, clock_timestamp() + window_ms * interval '1 ms'
        from unnest(${added.map(({ key }) => key)}::text[], ${added.map(({ count }) => count)}::integer[],
          ${added.map(({ windowMs }) => windowMs)}::float8[]) as added (principal, hits, window_ms)
        order by principal
        on conflict (principal) do update set
          hits = case when c.resets_at <= clock_timestamp() then excluded.hits else c.hits + excluded.hits end,
          resets_at = case when c.resets_at <= clock_timestamp() then excluded.resets_at else c.resets_at end
        returning principal, hits, extract(epoch from resets_at - clock_timestamp())::float8 * 1000 as left_ms`,
    );
    const before = new Map(rows.map(({ principal, hits }) => [principal, hits - (sums.get(principal)?.count ?? 0)]));
    const left = new Map(rows.map(({ principal, left_ms }) => [principal, left_ms]));
    return requests.map(({ key, windowMs }) => {
      const hits = (before.get(key) ?? 0) + 1;
      before.set(key, hits);
      return { hits, leftMs: left.get(key) ?? windowMs };
    });
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
