import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Caller } from '@ledgerline/domain/access/caller';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { GuardOptions } from '@ledgerline/platform/outbound/guarded-fetch';
import { Records } from '../commands/resource.queries';
import { POOL } from '../tokens';
import { fetchFavicon, type Favicon } from './fetch-favicon';
import { Websites } from './websites';

const HOUR_MS = 3_600_000;
/** After which an icon is fetched anew, and it is tried again to find one. */
const FRESH_MS = { found: 7 * 24 * HOUR_MS, absent: 24 * HOUR_MS };
/** The time for which an icon that nobody looked at is kept, as it would have been fetched anew. */
const KEPT_MS = 30 * 24 * HOUR_MS;

const MAX_FETCH_MS = 10_000;
/** At once, in one process; others are fetched when they are looked at again. */
const MAX_FETCHES = 20;

interface Row {
  readonly type: string | null;
  readonly image: Buffer | null;
  readonly fetchedAt: Date;
}

/** The icons of domains, as the domains themselves have them; kept in Postgres, for all processes. */
@Injectable()
export class Favicons implements OnApplicationShutdown {
  /** Specs let it reach servers of their own. */
  guard: GuardOptions = { http: true };
  addressOf = (domain: string): string => `https://${domain}/`;
  private readonly shutdown = new AbortController();
  private readonly fetches = new Map<string, Promise<void>>();

  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Returns what is kept. It is not waited for what is fetched by then: browsers have few connections to an origin. */
  async find(domain: string): Promise<Favicon | undefined> {
    const [kept] = await run<Row>(
      this.pool,
      sql`select type, image, fetched_at as "fetchedAt" from favicons where domain = ${domain}`,
    );
    const freshMs = kept?.image ? FRESH_MS.found : FRESH_MS.absent;
    if (!kept || Date.now() - kept.fetchedAt.getTime() > freshMs) this.startFetch(domain);
    return kept?.type && kept.image ? { type: kept.type, image: kept.image } : undefined;
  }

  /** @returns how many icons were deleted */
  async sweep(now: Date): Promise<number> {
    const before = new Date(now.getTime() - KEPT_MS);
    const deleted = await run(this.pool, sql`delete from favicons where fetched_at < ${before} returning domain`);
    return deleted.length;
  }

  /** Until nothing is being fetched. */
  async idle(): Promise<void> {
    await Promise.all(this.fetches.values());
  }

  async onApplicationShutdown(): Promise<void> {
    this.shutdown.abort();
    await this.idle();
  }

  private startFetch(domain: string): void {
    if (this.fetches.has(domain) || this.fetches.size >= MAX_FETCHES || this.shutdown.signal.aborted) return;
    const fetch = this.fetch(domain)
      .catch(() => undefined) // it is tried again at the next look
      .finally(() => this.fetches.delete(domain));
    this.fetches.set(domain, fetch);
  }

  /** An icon that is not found again stays. */
  private async fetch(domain: string): Promise<void> {
    const signal = AbortSignal.any([this.shutdown.signal, AbortSignal.timeout(MAX_FETCH_MS)]);
    const { type = null, image = null } = (await fetchFavicon(this.addressOf(domain), this.guard, signal)) ?? {};
    if (this.shutdown.signal.aborted) return;
    await run(
      this.pool,
      sql`
        insert into favicons (domain, type, image, fetched_at) values (${domain}, ${type}, ${image}, now())
        on conflict (domain) do update set
          type = coalesce(excluded.type, favicons.type),
          image = coalesce(excluded.image, favicons.image),
          fetched_at = excluded.fetched_at`,
    );
  }
}

/** The icon of a website's domain; undefined until there is one. */
export class FindFavicon extends Query<Favicon | undefined> {
  constructor(
    readonly websiteId: string,
    readonly caller: Caller,
  ) {
    super();
  }
}

@QueryHandler(FindFavicon)
export class FindFaviconHandler implements IQueryHandler<FindFavicon> {
  constructor(
    private readonly websites: Websites,
    private readonly records: Records,
    private readonly favicons: Favicons,
  ) {}

  async execute({ websiteId, caller }: FindFavicon): Promise<Favicon | undefined> {
    const { domain } = await this.records.find(this.websites, websiteId, caller);
    return this.favicons.find(domain);
  }
}
