import { createHmac, hash, hkdfSync, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { Column, type DataSource, Entity, In, IsNull, MoreThan, Not, PrimaryColumn } from 'typeorm';
import type { VisitorIdentity } from '@ledgerline/contracts/events/organization.events';
import { orUnavailable } from '../database/database-errors';
import { transaction } from '../database/pool';

/**
 * The period that one salt serves: a day or a month by the calendar, which begins at another instant in every time
 * zone, or all time.
 */
export interface SaltPeriod {
  /** `YYYY-MM-DD`, `YYYY-MM` or `stable`. */
  readonly name: string;
  /** Its bounds in UTC, epoch ms; the end is exclusive, Infinity for `stable`. */
  readonly start: number;
  readonly end: number;
}

const DAY_MS = 86_400_000;

/** Salts are destroyed so long after their period in UTC, so that late events still get the salt of their day. */
const RETENTION_MS = 48 * 3_600_000;

const STABLE: SaltPeriod = { name: 'stable', start: -Infinity, end: Infinity };

/** The period of a local time: ms since 1970-01-01 00:00 by the clock of its time zone. */
export function periodOf(local: number, identity: VisitorIdentity): SaltPeriod {
  switch (identity) {
    case 'daily':
      return dayOf(local);
    case 'monthly':
      return monthOf(local);
    case 'stable':
      return STABLE;
  }
}

/** A day, and by how much local time is ahead of UTC at most. */
const AHEAD_MS = DAY_MS + 14 * 3_600_000;

/** The periods whose salts serve or soon will: from a day before they begin anywhere until they are destroyed. */
export function periodsInUse(now: number): readonly SaltPeriod[] {
  const periods = [STABLE];
  for (const identity of ['daily', 'monthly'] as const) {
    let period = periodOf(now - RETENTION_MS, identity);
    for (; period.start <= now + AHEAD_MS; period = periodOf(period.end, identity)) periods.push(period);
  }
  return periods;
}

/** When the salt of a period is destroyed: epoch ms. */
export const expiryOf = (period: SaltPeriod): number => period.end + RETENTION_MS;

/** By days since 1970: nearly all events are of the same few days. */
const days = new Map<number, SaltPeriod>();
const MAX_DAYS = 1_000;

function dayOf(local: number): SaltPeriod {
  const number = Math.floor(local / DAY_MS);
  const known = days.get(number);
  if (known !== undefined) return known;
  if (days.size >= MAX_DAYS) days.clear();
  const start = number * DAY_MS;
  const period = { name: new Date(start).toISOString().slice(0, 10), start, end: start + DAY_MS };
  days.set(number, period);
  return period;
}

function monthOf(local: number): SaltPeriod {
  const date = new Date(local);
  const year = date.getUTCFullYear();
  const month = date.getUTCMonth();
  return {
    name: date.toISOString().slice(0, 7),
    start: Date.UTC(year, month, 1),
    end: Date.UTC(year, month + 1, 1),
  };
}

/** The secret of the installation for one period; of one website or organization where an earlier version stored it. */
@Entity('salts')
export class Salt {
  @PrimaryColumn('text')
  scope: string;

  @PrimaryColumn('text')
  period: string;

  @Column('bytea')
  salt: Buffer;

  /** When it is destroyed; null = never. */
  @Column('timestamptz', { name: 'dies_at', nullable: true })
  expiresAt: Date | null;
}

/** The key of the visitor ids of a website's imports; once its owner deletes it, they cannot be linked to people. */
@Entity('import_secrets')
export class ImportSecret {
  @PrimaryColumn('text', { name: 'website_id' })
  websiteId: string;

  @Column('bytea')
  secret: Buffer;
}

export const SALT_BYTES = 32;

/** Instead of a website or an organization. */
export const INSTALLATION = '*';

/** The installation's salt of a period. */
interface PeriodSalt {
  readonly period: SaltPeriod;
  readonly salt: Buffer;
}

/** The table of salts. */
export class SaltStore {
  constructor(private readonly database: DataSource) {}

  /**
   * The installation's salts of the periods that are offered. The first offer for a period is stored, and every caller
   * gets that one.
   * @throws LogUnavailable while Postgres is away
   */
  obtain(offered: readonly PeriodSalt[]): Promise<readonly PeriodSalt[]> {
    return orUnavailable('The store of salts', async () => {
      const salts = this.database.getRepository(Salt);
      await salts.createQueryBuilder().insert().values(offered.map(rowOf)).orIgnore().updateEntity(false).execute();
      const stored = await salts.findBy({ scope: INSTALLATION, period: In(offered.map(({ period }) => period.name)) });
      return offered.flatMap(({ period }) => {
        const found = stored.find((salt) => salt.period === period.name);
        return found ? [{ period, salt: found.salt }] : [];
      });
    });
  }

  /**
   * The salts of single websites and organizations that earlier versions stored and that have not expired.
   * @throws LogUnavailable while Postgres is away
   */
  scopedSalts(now: Date): Promise<readonly Salt[]> {
    const lives = [{ expiresAt: IsNull() }, { expiresAt: MoreThan(now) }];
    return orUnavailable('The store of salts', () =>
      this.database.getRepository(Salt).findBy(lives.map((each) => ({ scope: Not(INSTALLATION), ...each }))),
    );
  }

  /**
   * The secret of a website's imports, created at its first import.
   * @throws LogUnavailable while Postgres is away
   */
  importSecret(websiteId: string): Promise<Buffer> {
    return orUnavailable('The store of import secrets', async () => {
      const secrets = this.database.getRepository(ImportSecret);
      const fresh = { websiteId, secret: randomBytes(SALT_BYTES) };
      await secrets.createQueryBuilder().insert().values(fresh).orIgnore().updateEntity(false).execute();
      return (await secrets.findOneByOrFail({ websiteId })).secret;
    });
  }
}

const rowOf = ({ period, salt }: PeriodSalt) => ({
  scope: INSTALLATION,
  period: period.name,
  salt,
  expiresAt: period.end === Infinity ? null : new Date(expiryOf(period)),
});

/**
 * Destroys the salts whose period ended 48 hours ago and resolves with how many; their visitors cannot be linked to
 * anything afterwards. One process at a time: while another does it, 0.
 */
export async function destroyExpiredSalts(pool: Pool, now: Date): Promise<number> {
  return transaction(pool, async (client) => {
    const lock = await client.query<{ mine: boolean }>(
      `select pg_try_advisory_xact_lock(hashtext('ledgerline salts')) as mine`,
    );
    if (!lock.rows[0]?.mine) return 0;
    const { rowCount } = await client.query('delete from salts where dies_at <= $1', [now]);
    return rowCount ?? 0;
  });
}

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
  saltFor(scope: string, period: SaltPeriod): Buffer {
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

  private derive(key: string, scope: string, period: SaltPeriod): Buffer {
    const salt = this.scopedSalts.get(key)?.salt ?? derivedSalt(this.saltOf(period).salt, scope);
    this.derived.set(key, salt);
    return salt;
  }

  /** Where the store could not be reached for a day, the salt is made here, and stored once the store is back. */
  private saltOf(period: SaltPeriod): KeptSalt {
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

/** The salt of a website or organization, of that of the installation for the period. */
export const derivedSalt = (salt: Buffer, scope: string): Buffer =>
  Buffer.from(hkdfSync('sha256', salt, '', `salt of ${scope}`, SALT_BYTES));

const keyOf = (scope: string, period: string): string => `${scope} ${period}`;

/**
 * The kind of value an id was made from; part of what is hashed, so that equal texts of two kinds never become one
 * visitor.
 */
export type HashedKind = 'anonymous' | 'profile' | 'browser' | 'session';

/** The first 128 bits, as 32 hex digits, of HMAC-SHA-256 keyed by the salt. */
export function saltedHash(salt: Buffer, kind: HashedKind, value: string): string {
  const text = `${kind}\n${value}`;
  const fits = text.length <= MAX_TEXT && salt.length <= BLOCK;
  const digest = fits ? shortHmac(salt, text) : createHmac('sha256', salt).update(text).digest('hex');
  return digest.slice(0, 32);
}

/** Returns a hash without any secret: for ids that clients want to recognise. */
export const plainHash = (kind: HashedKind, value: string): string =>
  hash('sha256', `${kind}\n${value}`, 'hex').slice(0, 32);

/** Bytes that SHA-256 takes at once. */
const BLOCK = 64;
/** Bytes of a digest of SHA-256. */
const DIGEST = 32;
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
