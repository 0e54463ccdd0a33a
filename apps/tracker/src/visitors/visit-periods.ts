import { LRUCache } from 'lru-cache';
import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import { GAP_MS } from '@ledgerline/domain/sessions/add-hits';
import { offsetAt } from '@ledgerline/domain/time/zones';
import { type SaltPeriod, expiryOf, periodOf } from '@ledgerline/platform/salts/visitor-salts';

/** 13 MB. */
const MAX_VISITS = 50_000;

/** When a hit happened, and where its website's days begin. */
interface HitTime {
  readonly at: number;
  readonly zone: string;
  readonly identity: VisitorIdentity;
}

interface Visit {
  /** In which it began. */
  readonly period: SaltPeriod;
  /** Its last hit, and when that arrived. */
  readonly at: number;
  readonly seenAt: number;
}

/**
 * The periods whose salts make the ids of hits. A visit that goes on over the end of a period keeps the ids of the one in
 * which it began, while this process remembers it: until 30 minutes after its last hit, and at most until the salt is
 * destroyed. Only visits at the end of a period and those that went on are held, by ids that are hashed with its salts.
 */
export class VisitPeriods {
  /** By the visitor's id in the period of the last hit. */
  private readonly visits: LRUCache<string, Visit>;

  constructor(max = MAX_VISITS) {
    this.visits = new LRUCache({ max });
  }

  /**
   * The period whose salt makes the ids of a hit that arrives `now`: its own while that salt lives, else the present one;
   * that in which its visit began, if `idIn` tells the visitor's id in a period.
   */
  periodOf(time: HitTime, now: number, idIn: ((period: SaltPeriod) => string) | null): SaltPeriod {
    const period = calendarPeriod(time, time.at);
    if (expiryOf(period) <= now) return calendarPeriod(time, now);
    return time.identity === 'stable' || idIn === null ? period : this.begunIn(period, time, now, idIn);
  }

  /** Forgets the visits that are over. */
  dropEnded(now: number): void {
    for (const id of this.visits.rkeys()) {
      const visit = this.visits.peek(id);
      if (visit !== undefined && visit.seenAt + GAP_MS >= now) return;
      this.visits.delete(id);
    }
  }

  private begunIn(period: SaltPeriod, time: HitTime, now: number, idIn: (period: SaltPeriod) => string): SaltPeriod {
    const { at } = time;
    const before = calendarPeriod(time, at - GAP_MS);
    const isLate = calendarPeriod(time, at + GAP_MS).name !== period.name;
    const isEarly = before.name !== period.name && expiryOf(before) > now;
    if (!isLate && !isEarly && this.visits.size === 0) return period;
    const id = idIn(period);
    const visit = this.ongoing(id, at, now) ?? (isEarly ? this.ongoing(idIn(before), at, now) : undefined);
    const begun = visit?.period ?? period;
    if (isLate || begun.name !== period.name)
      this.visits.set(id, { period: begun, at: Math.max(at, visit?.at ?? at), seenAt: now });
    return begun;
  }

  private ongoing(id: string, at: number, now: number): Visit | undefined {
    const visit = this.visits.peek(id);
    if (visit === undefined || Math.abs(at - visit.at) > GAP_MS || visit.seenAt + GAP_MS < now) return undefined;
    return expiryOf(visit.period) > now ? visit : undefined;
  }
}

const calendarPeriod = ({ zone, identity }: HitTime, at: number): SaltPeriod =>
  periodOf(at + offsetAt(at, zone), identity);

/** For each time that events of a sender have, a later one that may be free. */
type TakenTimes = Map<number, number>;

/** The times that events of each sender have. */
export class DistinctTimes {
  constructor(
    private readonly bySender: {
      get(sender: string): TakenTimes | undefined;
      set(sender: string, times: TakenTimes): unknown;
    } = new Map<string, TakenTimes>(),
  ) {}

  /** Takes a time (epoch ms), or the next free one; `last` where none is free until then. */
  take(sender: string, at: number, last = Infinity): number {
    const times = this.bySender.get(sender) ?? new Map<number, number>();
    let free = at;
    for (let next = times.get(at); next !== undefined; next = times.get(next)) free = next;
    if (times.size === 0) this.bySender.set(sender, times);
    times.set(at, free + 1).set(free, free + 1);
    return Math.min(free, last);
  }
}

const DAY_MS = 86_400_000;
const MAX_COUNTERS = 100_000;
/** Visitors a day that are reported to have reached the limit. */
const MAX_REPORTED = 10_000;

/**
 * Counts the hits of each visitor (or session, where there is no visitor) in this process and the present UTC day, so
 * that one visitor's history stays bounded.
 */
export class HitsPerVisitor {
  private counts = new Map<string, number>();
  private reported = new Set<string>();
  private day = NaN;

  constructor(
    /** Hits of one visitor of one website in a day. */
    private readonly max: number,
    /** Called with the website when a visitor reaches that; at most once for each visitor a day. */
    private readonly onReached: (websiteId: string) => void,
    private readonly maxCounters = MAX_COUNTERS,
  ) {}

  /** Returns whether another hit that arrives `now` (epoch ms) may have this visitor id; if so, it is counted. */
  take(visitorId: string, websiteId: string, now: number): boolean {
    this.beginDay(now);
    const key = `${websiteId} ${visitorId}`;
    const count = this.counts.get(key) ?? 0;
    if (count < this.max) this.count(key, count + 1);
    else this.report(key, websiteId);
    return count < this.max;
  }

  private beginDay(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day === this.day) return;
    this.day = day;
    this.counts = new Map();
    this.reported = new Set();
  }

  private report(key: string, websiteId: string): void {
    if (this.reported.has(key) || this.reported.size >= MAX_REPORTED) return;
    this.reported.add(key);
    this.onReached(websiteId);
  }

  private count(key: string, count: number): void {
    if (count > 1 || this.counts.size < this.maxCounters) this.counts.set(key, count);
    else this.makeRoom();
  }

  /**
   * TRICKY: instead of dropping a counter, each loses one hit (Misra and Gries). So no count is ever too high, and none
   * is too low by more than all hits divided by the counters, however many ids are made up in between.
   */
  private makeRoom(): void {
    for (const [key, count] of this.counts) {
      if (count === 1) this.counts.delete(key);
      else this.counts.set(key, count - 1);
    }
  }
}
