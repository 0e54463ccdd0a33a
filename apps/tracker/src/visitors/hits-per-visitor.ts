const DAY_MS = 86_400_000;
const MOST_COUNTERS = 100_000;
/** Names a day of which is remembered that they were told of; of those beyond nothing is told. */
const MOST_TOLD = 10_000;

/**
 * Counts, in this process and for the present UTC day, the hits that bear one visitor's name (or one session's, where
 * there is no visitor), so that nobody can pile up a history without end.
 */
export class HitsPerVisitor {
  private counts = new Map<string, number>();
  private told = new Set<string>();
  private day = NaN;

  constructor(
    /** Hits of one visitor of one website in a day. */
    private readonly most: number,
    /** Hears of a website one of whose visitors has reached that; at most once for each of them a day. */
    private readonly onReached: (websiteId: string) => void,
    private readonly mostCounters = MOST_COUNTERS,
  ) {}

  /** Whether another hit that arrives `now` (epoch ms) may bear this name; if so, it is counted. */
  mayBear(name: string, websiteId: string, now: number): boolean {
    this.beginDay(now);
    const key = `${websiteId} ${name}`;
    const count = this.counts.get(key) ?? 0;
    if (count < this.most) this.count(key, count + 1);
    else this.tell(key, websiteId);
    return count < this.most;
  }

  private beginDay(now: number): void {
    const day = Math.floor(now / DAY_MS);
    if (day === this.day) return;
    this.day = day;
    this.counts = new Map();
    this.told = new Set();
  }

  private tell(key: string, websiteId: string): void {
    if (this.told.has(key) || this.told.size >= MOST_TOLD) return;
    this.told.add(key);
    this.onReached(websiteId);
  }

  private count(key: string, count: number): void {
    if (count > 1 || this.counts.size < this.mostCounters) this.counts.set(key, count);
    else this.makeRoom();
  }

  /**
   * TRICKY: instead of forgetting anybody, everybody loses one hit (Misra and Gries). So no count is ever too high, and
   * none is too low by more than all hits divided by the counters, however many names are made up in between.
   */
  private makeRoom(): void {
    for (const [key, count] of this.counts) {
      if (count === 1) this.counts.delete(key);
      else this.counts.set(key, count - 1);
    }
  }
}
