import { hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { expiryOf, periodsInUse, type Period } from './period';
import { SALT_BYTES, type PeriodSalt, type SaltStore } from './salt-store';
import type { Salt } from './salt.entity';

const MAX_DERIVED = 50_000;

interface KeptSalt extends PeriodSalt {
  readonly isStored: boolean;
}

/**
 * The salt of each website and organization, derived from the installation's salt of the period. That one is in memory
 * from a day before its period on, so that neither a new organization nor midnight needs the store.
 */
export class VisitorSalts {
  private readonly periods = new Map<string, KeptSalt>();
  private scopedSalts = new Map<string, Salt>();
  private readonly derived = new LRUCache<string, Buffer>({ max: MAX_DERIVED });

  constructor(
    private readonly store: Pick<SaltStore, 'obtain' | 'scopedSalts'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** The salt of a period that is not over for more than 48 hours, or begins within a day. */
  saltFor(scope: string, period: Period): Buffer {
    const key = keyOf(scope, period.name);
    return this.derived.get(key) ?? this.derive(key, scope, period);
  }

  /** To be awaited before the first event. Rejects as the store does. */
  async load(): Promise<void> {
    const salts = await this.store.scopedSalts(new Date(this.now()));
    this.scopedSalts = new Map(salts.map((salt) => [keyOf(salt.scope, salt.period), salt]));
    await this.refresh();
  }

  /** Drops expired salts and obtains those of new periods. Rejects as the store does; what is in memory still serves. */
  async refresh(): Promise<void> {
    const now = this.now();
    this.dropExpired(now);
    const missing = periodsInUse(now)
      .map((period) => this.saltOf(period))
      .filter(({ isStored }) => !isStored);
    if (missing.length === 0) return;
    for (const stored of await this.store.obtain(missing)) this.keep({ ...stored, isStored: true });
    this.derived.clear();
  }

  private derive(key: string, scope: string, period: Period): Buffer {
    const derived = () => Buffer.from(hkdfSync('sha256', this.saltOf(period).salt, '', `salt of ${scope}`, SALT_BYTES));
    const salt = this.scopedSalts.get(key)?.salt ?? derived();
    this.derived.set(key, salt);
    return salt;
  }

  /** Where the store could not be reached for a day, the salt is made here, and stored once the store is back. */
  private saltOf(period: Period): KeptSalt {
    return this.periods.get(period.name) ?? this.keep({ period, salt: randomBytes(SALT_BYTES), isStored: false });
  }

  private keep(salt: KeptSalt): KeptSalt {
    this.periods.set(salt.period.name, salt);
    return salt;
  }

  private dropExpired(now: number): void {
    const expired = [...this.periods.values()].filter(({ period }) => expiryOf(period) <= now);
    if (expired.length === 0) return;
    for (const { period } of expired) this.periods.delete(period.name);
    for (const [key, { expiresAt }] of this.scopedSalts)
      if (expiresAt !== null && expiresAt.getTime() <= now) this.scopedSalts.delete(key);
    this.derived.clear();
  }
}

const keyOf = (scope: string, period: string): string => `${scope} ${period}`;
