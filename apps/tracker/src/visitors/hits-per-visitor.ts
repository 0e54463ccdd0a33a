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

  /** Whether another hit that arrives `now` (epoch ms) may have this visitor id; if so, it is counted. */
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
