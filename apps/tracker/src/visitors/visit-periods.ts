import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';
import { GAP_MS } from '@ledgerline/domain/sessions/add-hits';
import { offsetAt } from '@ledgerline/domain/time/zones';
import { expiryOf, periodOf, type Period } from '@ledgerline/platform/salts/period';
import { LRUCache } from 'lru-cache';

/** 13 MB. */
const MAX_VISITS = 50_000;

/** When a hit happened, and where its website's days begin. */
export interface HitTime {
  readonly at: number;
  readonly zone: string;
  readonly identity: VisitorIdentity;
}

interface Visit {
  /** In which it began. */
  readonly period: Period;
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
  periodOf(time: HitTime, now: number, idIn: ((period: Period) => string) | null): Period {
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

  private begunIn(period: Period, time: HitTime, now: number, idIn: (period: Period) => string): Period {
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

const calendarPeriod = ({ zone, identity }: HitTime, at: number): Period => periodOf(at + offsetAt(at, zone), identity);
