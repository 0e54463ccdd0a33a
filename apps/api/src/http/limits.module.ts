import { createHmac } from 'node:crypto';
import { type ExecutionContext, Inject, Injectable, Module } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import {
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  ThrottlerModule,
  type ThrottlerModuleOptions,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { Counter } from 'prom-client';
import { Problem } from '@ledgerline/contracts/errors/error-codes';
import { ANONYMOUS, actorOf } from '@ledgerline/domain/access/caller';
import { Registry } from '@ledgerline/domain/registry/registry';
import type { Limits, Settings } from '@ledgerline/platform/config/settings';
import { run, runPrepared } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { countedAddress } from '@ledgerline/platform/http/address';
import { Batcher } from '@ledgerline/platform/log/batcher';
import { availableWithin } from '@ledgerline/platform/log/timing';
import type { Logger } from '@ledgerline/platform/logging/logger';
import { OutageLog } from '@ledgerline/platform/logging/outage-log';
import { Metrics } from '@ledgerline/platform/metrics/metrics';
import { COUNT_POOL, LOGGER, SETTINGS } from '../tokens';
import { type BudgetName, type CallerRequest, budgetOf, clientIdsOf } from './route';

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

/** A request waits no longer to be counted by all processes together; so often is that tried again. */
const COUNTED_WITHIN_MS = 1_000;
/** Probes are answered whatever the stores do, and are not even counted there. */
const COUNTED_BY_PROCESS = 'probes:' satisfies `${BudgetName}:`;
const MAX_LOCAL_WINDOWS = 100_000;
/** Hashing a principal anew takes a fortieth of the CPU of a small request. */
const MAX_HASHES = 10_000;
const MAX_BATCH = 1_000;
/** Requests that arrive while a statement is answered share the next one. */
const LINGER_MS = 5;

/** Returns what a principal is stored as: without the pepper it is neither an address nor an id. */
export const hashPrincipal = (key: string, pepper: string): string =>
  createHmac('sha256', pepper).update(`principal:${key}`).digest('base64url');

/** Requests per principal and window, shared by all api processes; while Postgres cannot count each counts its own. */
@Injectable()
export class RequestCounts implements ThrottlerStorage {
  private readonly local = new Map<string, { hits: number; resetsAt: number }>();
  private readonly hashes = new LRUCache<string, string>({
    max: MAX_HASHES,
    memoMethod: (key) => hashPrincipal(key, this.settings.keyPepper),
  });
  private readonly outage: OutageLog;
  private readonly failures: Counter;
  private retryAt = 0;
  private readonly increments = new Batcher<Request, Count>((requests) => this.incrementShared(requests), {
    maxBatch: MAX_BATCH,
    lingerMs: LINGER_MS,
  });

  constructor(
    @Inject(COUNT_POOL) private readonly pool: Pool,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'keyPepper'>,
    { registry }: Metrics,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.outage = new OutageLog(logger, {
      began: 'requests cannot be counted for their limits; each process counts its own until they can',
      ended: 'requests are counted for their limits by all processes together again',
    });
    this.failures = new Counter({
      name: 'ledgerline_request_count_failures_total',
      help: 'Requests counted against their limit by this process alone, because Postgres could not',
      registers: [registry],
    });
  }

  /** A window that is used up stays so until its end. */
  async increment(key: string, windowMs: number, limit: number): Promise<ThrottlerRecord> {
    const { hits, leftMs } = await this.hit(key, windowMs);
    const seconds = Math.max(1, Math.ceil(leftMs / 1_000));
    return { totalHits: hits, timeToExpire: seconds, isBlocked: hits > limit, timeToBlockExpire: seconds };
  }

  /** Takes one request out of the present window, where that can be counted. */
  async decrement(key: string): Promise<void> {
    const window = this.local.get(key);
    if (window && window.hits > 0) window.hits -= 1;
    if (this.outage.isOn) return;
    const principal = this.hashes.memo(key);
    const decremented = sql`update request_counts set hits = hits - 1 where principal = ${principal} and hits > 0`;
    const write = () => run(this.pool, decremented);
    const written = availableWithin(COUNTED_WITHIN_MS, 'The count of requests', write);
    await written.catch((error: unknown) => this.outage.failed(error));
  }

  private async hit(key: string, windowMs: number): Promise<Count> {
    if (key.startsWith(COUNTED_BY_PROCESS)) return this.incrementLocal(key, windowMs);
    const shared = this.outage.isOn ? undefined : await this.hitShared(key, windowMs);
    if (shared) return shared;
    if (this.outage.isOn && performance.now() >= this.retryAt) void this.hitShared(key, windowMs);
    this.failures.inc();
    return this.incrementLocal(key, windowMs);
  }

  /** Undefined where it fails. */
  private async hitShared(key: string, windowMs: number): Promise<Count | undefined> {
    this.retryAt = performance.now() + COUNTED_WITHIN_MS;
    try {
      const submit = () => this.increments.submit({ key: this.hashes.memo(key), windowMs });
      const count = await availableWithin(COUNTED_WITHIN_MS, 'The count of requests', submit);
      this.outage.succeeded();
      return count;
    } catch (error) {
      this.outage.failed(error);
      return undefined;
    }
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

/** Counts every request against the budget of its route and caller, and sets the rate limit headers. */
@Injectable()
export class RequestLimitGuard extends ThrottlerGuard {
  @Inject() private readonly counts!: RequestCounts;
  @Inject(SETTINGS) private readonly settings!: Pick<Settings, 'limits'>;

  /**
   * Counts a request against another budget than that of its route, or one that no route takes.
   * @param share whose password it guesses
   * @throws Problem RATE_LIMITED when nothing is left of the budget
   */
  async count(budget: AnyBudget, request: object, reply: object, share?: string): Promise<void> {
    const marked = Object.create(request, { budget: { value: budget }, share: { value: share } }) as object;
    await this.canActivate(new ExecutionContextHost([marked, reply], RequestLimitGuard, this.canActivate.bind(this)));
  }

  /** Takes a sign-in, or a password of a share, that was right out of the budget of wrong ones: an office shares an address. */
  async giveBack({ ip }: Pick<CallerRequest, 'ip'>, share?: string): Promise<void> {
    const budget = share === undefined ? 'accounts' : 'sharePasswords';
    await this.counts.decrement(allowanceFor(budget, { ip, share }, this.settings.limits).key);
  }

  /** The library sets the headers on what it lets through only. */
  protected override throwThrottlingException(context: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    const reply = context.switchToHttp().getResponse<Record<string, unknown>>();
    this.setResponseHeader(reply, `${this.headerPrefix}-Limit`, detail.limit);
    this.setResponseHeader(reply, `${this.headerPrefix}-Remaining`, 0);
    this.setResponseHeader(reply, `${this.headerPrefix}-Reset`, detail.timeToExpire);
    throw new Problem('RATE_LIMITED', 'Too many requests', undefined, detail.timeToBlockExpire);
  }
}

interface Allowance {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
}

/** Wrong credentials, and passwords of each share, have budgets of their own, which no route states. */
type AnyBudget = BudgetName | 'failed' | 'sharePasswords';

/** The budgets of guesses, which the limit of a key does not widen. */
const OF_GUESSES: readonly AnyBudget[] = ['accounts', 'failed', 'sharePasswords'];

const MINUTE_MS = 60_000;

/**
 * One budget per principal across routes, a person and their clients together; a key that carries its own limit has that
 * one for everything but guesses.
 */
function allowanceFor(budget: AnyBudget, { caller = ANONYMOUS, ip, share }: Principal, limits: Limits): Allowance {
  if (caller.kind === 'key' && caller.rateLimit && !OF_GUESSES.includes(budget)) {
    const { max, windowSeconds } = caller.rateLimit;
    return { key: `own:${caller.id}`, max, windowMs: windowSeconds * 1_000 };
  }
  const isAnonymous = caller.kind === 'anonymous';
  const perIp = isAnonymous || countsAddresses(budget);
  const max = perMinute(budget, limits, isAnonymous);
  const of = share === undefined ? budget : `${budget}:${share}`;
  return { key: `${of}:${perIp ? `ip:${countedAddress(ip)}` : actorOf(caller).id}`, max, windowMs: MINUTE_MS };
}

export const countsAddresses = (budget: AnyBudget): boolean =>
  budget === 'public' || budget === 'probes' || OF_GUESSES.includes(budget);

export const perMinute = (budget: AnyBudget, limits: Limits, isAnonymous = false): number =>
  limits[isAnonymous && budget === 'query' ? 'queryAnonymousPerMinute' : PER_MINUTE[budget]];

type Principal = Pick<CallerRequest, 'caller' | 'ip'> & { readonly share?: string | undefined };

/** The allowance that a request is counted against: that of its route, or the one it was marked with. */
function allowanceOf(context: ExecutionContext, limits: Limits, registry: Registry): Allowance {
  const request = context.switchToHttp().getRequest<CallerRequest & { budget?: AnyBudget; share?: string }>();
  const budget = request.budget ?? budgetOf(context.getHandler(), context.getClass());
  const isOpen = budget === 'flags' && !isFromOwnServer(request, registry);
  return allowanceFor(isOpen ? 'public' : budget, request, limits);
}

/** Returns whether flags are evaluated with a key of the organization of the website, for whichever of its users. */
function isFromOwnServer(request: CallerRequest, registry: Registry): boolean {
  const { caller } = request;
  if (caller?.kind !== 'key') return false;
  const ids = clientIdsOf(request);
  const isOwn = (id: unknown) =>
    typeof id === 'string' && registry.find('websites', id)?.organizationId === caller.organizationId;
  return ids.length > 0 && ids.every(isOwn);
}

const PER_MINUTE = {
  query: 'queryPerMinute',
  api: 'apiPerMinute',
  public: 'publicPerMinute',
  probes: 'publicPerMinute',
  flags: 'flagsPerKeyPerMinute',
  accounts: 'failedAuthPerMinute',
  failed: 'failedAuthPerMinute',
  sharePasswords: 'failedAuthPerMinute',
  export: 'auditExportPerMinute',
} as const satisfies Readonly<Record<AnyBudget, keyof Limits>>;

@Module({ providers: [RequestCounts], exports: [RequestCounts] })
class CountsModule {}

/** Limits how many requests each caller may make. */
@Module({
  imports: [
    CountsModule,
    ThrottlerModule.forRootAsync({
      imports: [CountsModule],
      inject: [RequestCounts, SETTINGS, Registry],
      useFactory: (storage: RequestCounts, { limits }: Settings, registry: Registry): ThrottlerModuleOptions => ({
        storage,
        throttlers: [
          {
            limit: (context) => allowanceOf(context, limits, registry).max,
            ttl: (context) => allowanceOf(context, limits, registry).windowMs,
            getTracker: (_, context) => allowanceOf(context, limits, registry).key,
            generateKey: (_, tracker) => tracker,
          },
        ],
      }),
    }),
  ],
  providers: [RequestLimitGuard],
  exports: [CountsModule, RequestLimitGuard],
})
export class LimitsModule {}
