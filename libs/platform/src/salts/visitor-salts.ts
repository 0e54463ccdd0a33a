import { hkdfSync, randomBytes, createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { expiryOf, periodsInUse, type Period } from './period';
import { SALT_BYTES, type PeriodSalt, type SaltStore, type Salt } from './salt-store';

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

/** What an id was made from; part of what is hashed, so that equal texts of two kinds never become one visitor. */
export type HashedKind = 'anonymous' | 'profile' | 'browser' | 'session';

/** The first 128 bits, as 32 hex digits, of HMAC-SHA-256 keyed by the salt. */
export function saltedHash(salt: Buffer, kind: HashedKind, value: string): string {
  const text = `${kind}\n${value}`;
  const fits = text.length <= MAX_TEXT && salt.length <= BLOCK;
  const digest = fits ? shortHmac(salt, text) : createHmac('sha256', salt).update(text).digest('hex');
  return digest.slice(0, 32);
}

/** The same without any secret: for ids that clients want to recognise. */
export const plainHash = (kind: HashedKind, value: string): string =>
  hash('sha256', `${kind}\n${value}`, 'hex').slice(0, 32);

/** Bytes that SHA-256 takes at once, and those of its digest. */
const [BLOCK, DIGEST] = [64, 32];
const MAX_TEXT = 512;
const BYTES_PER_CHARACTER = 3;

/** The key and what is hashed with it, and the key and the digest of that. */
const INNER = Buffer.alloc(BLOCK + MAX_TEXT * BYTES_PER_CHARACTER);
const OUTER = Buffer.alloc(BLOCK + DIGEST);

/** HMAC as RFC 2104 defines it, in half the time of `createHmac`, which makes objects that are costly to collect. */
function shortHmac(key: Buffer, text: string): string {
  for (let at = 0; at < BLOCK; at++) {
    const byte = key[at] ?? 0;
    INNER[at] = byte ^ 0x36;
    OUTER[at] = byte ^ 0x5c;
  }
  const length = BLOCK + INNER.write(text, BLOCK, 'utf8');
  OUTER.write(hash('sha256', INNER.subarray(0, length), 'binary'), BLOCK, 'latin1');
  return hash('sha256', OUTER, 'hex');
}
