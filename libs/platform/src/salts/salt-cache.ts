import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';
import { LRUCache } from 'lru-cache';
import { expiryOf, periodOf, type Period } from './period';
import type { SaltStore } from './salt-store';

const A_DAY_AHEAD_MS = 86_400_000;
const RETRY_MS = 10_000;
const MAX_ENTRIES = 200_000;
const LOADED_AT_ONCE = 500;

interface Entry {
  readonly salt: Buffer;
  readonly period: Period;
  /** From when on the next period's salt is to be fetched; Infinity once it is. */
  fetchNextFrom: number;
}

/** Salts in memory; the next period's is fetched a day ahead, so that midnight needs no store. */
export class SaltCache {
  /** Limited by size, as `max` would allocate its places at the start. */
  private readonly entries = new LRUCache<string, Entry>({ maxSize: MAX_ENTRIES, sizeCalculation: () => 1 });
  private readonly fetching = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly store: Pick<SaltStore, 'obtain'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The salt for an event of that time: of its own period while that one's salt lives, else of the present one. At once
   * when it is in memory. Rejects as the store does when it cannot be reached.
   */
  saltFor(scope: string, identity: VisitorIdentity, at: number): Buffer | Promise<Buffer> {
    const now = this.now();
    let period = periodOf(at, identity);
    if (expiryOf(period) <= now) period = periodOf(now, identity);
    const entry = this.entries.get(keyOf(scope, period));
    if (entry === undefined) return this.fetch(scope, period, identity);
    if (entry.fetchNextFrom <= now) this.fetchNext(scope, entry, identity, now);
    return entry.salt;
  }

  /** Loads the present salts of many scopes (and those of the next period a day ahead) before they are needed. */
  async prepare(scopes: readonly string[], identity: VisitorIdentity): Promise<void> {
    const present = periodOf(this.now(), identity);
    for (let at = 0; at < scopes.length; at += LOADED_AT_ONCE)
      await this.load(scopes.slice(at, at + LOADED_AT_ONCE), present, identity);
  }

  /** Drops expired salts from memory, too. */
  dropExpired(): void {
    const now = this.now();
    for (const [key, { period }] of this.entries.entries()) if (expiryOf(period) <= now) this.entries.delete(key);
  }

  /** However many wait for a salt, one request for it is running. */
  private fetch(scope: string, period: Period, identity: VisitorIdentity): Promise<Buffer> {
    const key = keyOf(scope, period);
    const running = this.fetching.get(key);
    if (running) return running;
    const fetched = this.fetchOne(scope, period, identity).finally(() => this.fetching.delete(key));
    this.fetching.set(key, fetched);
    return fetched;
  }

  private async fetchOne(scope: string, period: Period, identity: VisitorIdentity): Promise<Buffer> {
    await this.load([scope], period, identity);
    const entry = this.entries.get(keyOf(scope, period));
    if (entry === undefined) throw new Error(`The salt of ${scope} for ${period.name} is not there.`);
    return entry.salt;
  }

  private async load(scopes: readonly string[], period: Period, identity: VisitorIdentity): Promise<void> {
    const periods = upcoming(period, this.now(), identity);
    const last = periods.at(-1);
    for (const { scope, period: name, salt } of await this.store.obtain(scopes, periods)) {
      const of = periods.find((each) => each.name === name);
      if (of === undefined) continue;
      const fetchNextFrom = of === last ? of.end - A_DAY_AHEAD_MS : Infinity;
      this.entries.set(keyOf(scope, of), { salt, period: of, fetchNextFrom });
    }
  }

  private fetchNext(scope: string, entry: Entry, identity: VisitorIdentity, now: number): void {
    entry.fetchNextFrom = now + RETRY_MS;
    this.fetch(scope, periodOf(entry.period.end, identity), identity).then(
      () => (entry.fetchNextFrom = Infinity),
      () => undefined, // the store is down: again after RETRY_MS
    );
  }
}

/** A period, and the one after it when that begins within a day. */
function upcoming(period: Period, now: number, identity: VisitorIdentity): readonly Period[] {
  const soon = period.end !== Infinity && period.end - now <= A_DAY_AHEAD_MS;
  return soon ? [period, periodOf(period.end, identity)] : [period];
}

const keyOf = (scope: string, { name }: Period): string => `${scope} ${name}`;
