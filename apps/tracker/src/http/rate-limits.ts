import type { KeyCaller } from '@ledgerline/domain/access/caller';
import type { Limits } from '@ledgerline/platform/config/settings';
import type { RefusalReply } from '@ledgerline/platform/http/problem.filter';

/** The rest of a budget. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/**
 * Events of a key, requests for a website from one address, requests of an address that were refused before anything
 * else could count them, look-ups of slugs that are not in memory, preflights of an address.
 */
type Budget = 'key' | 'website' | 'refused' | 'slug' | 'preflight';

const WINDOW_MS = 60_000;
const MAX_COUNTERS = 500_000;

/** Counts per minute, or per window of a key with its own limit, in this process. */
export class RateLimits {
  private readonly windows = new Map<number, WindowCounters>();
  private readonly allowed: Readonly<Record<Budget, number>>;

  constructor(
    limits: Limits,
    private readonly now: () => number = Date.now,
    private readonly maxCounters = MAX_COUNTERS,
  ) {
    this.allowed = {
      key: limits.eventsPerKeyPerMinute,
      website: limits.requestsPerWebsiteAndIpPerMinute,
      refused: limits.requestsPerWebsiteAndIpPerMinute,
      slug: limits.redirectsPerIpPerMinute,
      preflight: limits.requestsPerWebsiteAndIpPerMinute,
    };
  }

  /** Returns what is left, without taking anything; exceeded when that is nothing. */
  look(budget: Budget, subject: string): RateLimit {
    const left = this.take(budget, subject, 0);
    return { ...left, exceeded: left.remaining === 0 };
  }

  /** Takes `cost` from the budget of a subject (a key, address or the like); an exceeded one is left as it is. */
  take(budget: Budget, subject: string, cost: number): RateLimit {
    return this.window(WINDOW_MS).take(`${budget} ${subject}`, cost, this.allowed[budget], this.now());
  }

  /** Takes one request of a key that has its own limit. */
  takeOwn(keyId: string, { max, windowSeconds }: NonNullable<KeyCaller['rateLimit']>): RateLimit {
    return this.window(windowSeconds * 1_000).take(keyId, 1, max, this.now());
  }

  private window(lengthMs: number): WindowCounters {
    const window = this.windows.get(lengthMs) ?? new WindowCounters(lengthMs, this.maxCounters);
    this.windows.set(lengthMs, window);
    return window;
  }
}

/** Counters of windows of one length, dropped when a window is over. */
class WindowCounters {
  private counters = new Map<string, number>();
  private endsAt = 0;

  constructor(
    private readonly lengthMs: number,
    private readonly maxCounters: number,
  ) {}

  take(key: string, cost: number, limit: number, now: number): RateLimit {
    if (now >= this.endsAt) this.begin(now);
    const used = this.counters.get(key) ?? 0;
    const exceeded = used + cost > limit;
    if (!exceeded && cost > 0) this.count(key, used + cost);
    const remaining = Math.max(limit - used - (exceeded ? 0 : cost), 0);
    return { limit, remaining, resetSeconds: Math.ceil((this.endsAt - now) / 1000), exceeded };
  }

  /** TRICKY: bounded, so that a flood of made-up names cannot fill the memory; the one unused longest is dropped. */
  private count(key: string, used: number): void {
    this.counters.delete(key);
    const oldest = this.counters.keys().next().value;
    if (this.counters.size >= this.maxCounters && oldest !== undefined) this.counters.delete(oldest);
    this.counters.set(key, used);
  }

  private begin(now: number): void {
    this.counters = new Map();
    this.endsAt = now + this.lengthMs;
  }
}

export function setRateLimitHeaders(
  { limit, remaining, resetSeconds }: RateLimit,
  reply: Pick<RefusalReply, 'header'>,
): void {
  reply.header('x-ratelimit-limit', String(limit));
  reply.header('x-ratelimit-remaining', String(remaining));
  reply.header('x-ratelimit-reset', String(resetSeconds));
}
