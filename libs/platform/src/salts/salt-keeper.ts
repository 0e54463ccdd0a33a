import type { VisitorIdentity } from '@ledgerline/contracts/events/website.events';
import { LRUCache } from 'lru-cache';
import { deathOf, periodOf, type Period } from './period';
import type { SaltStore } from './salt-store';

const A_DAY_AHEAD_MS = 86_400_000;
const RETRY_MS = 10_000;
const MOST_IN_MEMORY = 200_000;

interface Entry {
  readonly salt: Buffer;
  readonly period: Period;
  /** From when on the next period's salt is to be fetched; Infinity once it is. */
  fetchNextFrom: number;
}

/** Salts in memory; the next period's is fetched a day ahead, so that midnight needs no store. */
export class SaltKeeper {
  private readonly entries = new LRUCache<string, Entry>({ max: MOST_IN_MEMORY });
  private readonly fetching = new Map<string, Promise<Buffer>>();

  constructor(
    private readonly store: Pick<SaltStore, 'obtain' | 'create'>,
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * The salt for an event of that time: of its own period while that one's salt lives, else of the present one. At once
   * when it is in memory. Rejects as the store does when it cannot be reached.
   */
  saltFor(scope: string, identity: VisitorIdentity, at: number): Buffer | Promise<Buffer> {
    const now = this.now();
    let period = periodOf(at, identity);
    if (deathOf(period) <= now) period = periodOf(now, identity);
    const entry = this.entries.get(keyOf(scope, period));
    if (entry === undefined) return this.fetch(scope, period, identity);
    if (entry.fetchNextFrom <= now) this.fetchNext(scope, entry, identity, now);
    return entry.salt;
  }

  /** Has today's and tomorrow's salts of many scopes ready, before anybody asks for them. */
  async prepare(scopes: readonly string[], identity: VisitorIdentity): Promise<void> {
    const today = periodOf(this.now(), identity);
    await this.store.create(scopes, upcoming(today, this.now(), identity));
    for (const scope of scopes) await this.saltFor(scope, identity, this.now());
  }

  /** Drops what is dead from memory, too. */
  forgetTheDead(): void {
    const now = this.now();
    for (const [key, { period }] of this.entries.entries()) if (deathOf(period) <= now) this.entries.delete(key);
  }

  private fetch(scope: string, period: Period, identity: VisitorIdentity): Promise<Buffer> {
    const key = keyOf(scope, period);
    const running = this.fetching.get(key);
    if (running) return running;
    const fetched = this.load(scope, period, identity).finally(() => this.fetching.delete(key));
    this.fetching.set(key, fetched);
    return fetched;
  }

  private async load(scope: string, period: Period, identity: VisitorIdentity): Promise<Buffer> {
    const periods = upcoming(period, this.now(), identity);
    const salts = await this.store.obtain(scope, periods);
    for (const each of periods) {
      const salt = salts.get(each.name);
      const fetchNextFrom = periods.at(-1) === each ? each.end - A_DAY_AHEAD_MS : Infinity;
      if (salt) this.entries.set(keyOf(scope, each), { salt, period: each, fetchNextFrom });
    }
    const salt = salts.get(period.name);
    if (salt === undefined) throw new Error(`The salt of ${scope} for ${period.name} is not there.`);
    return salt;
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
