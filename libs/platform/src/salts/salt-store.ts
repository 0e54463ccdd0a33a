import { Column, Entity, PrimaryColumn, In, IsNull, MoreThan, Not, type DataSource } from 'typeorm';
import { randomBytes } from 'node:crypto';
import { orUnavailable } from '../database/database-errors';
import { expiryOf, type Period } from './period';
import type { Pool } from 'pg';
import { transaction } from '../database/pool';

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
const INSTALLATION = '*';

/** The installation's salt of a period. */
export interface PeriodSalt {
  readonly period: Period;
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
