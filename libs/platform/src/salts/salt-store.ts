import { randomBytes } from 'node:crypto';
import { In, type DataSource } from 'typeorm';
import { orUnavailable } from '../database/database-errors';
import { ImportSecret } from './import-secret.entity';
import { expiryOf, type Period } from './period';
import { Salt } from './salt.entity';

export const SALT_BYTES = 32;

/** The table of salts: the first request for one creates it, all others get the same. */
export class SaltStore {
  constructor(private readonly database: DataSource) {}

  /**
   * The salts of some scopes for some periods; those that do not exist are created.
   * @throws LogUnavailable while Postgres is away
   */
  obtain(scopes: readonly string[], periods: readonly Period[]): Promise<readonly Salt[]> {
    return orUnavailable('The store of salts', async () => {
      await this.create(scopes, periods);
      const names = periods.map(({ name }) => name);
      return this.database.getRepository(Salt).findBy({ scope: In(scopes), period: In(names) });
    });
  }

  /** Creates what is missing for every scope and period. */
  private async create(scopes: readonly string[], periods: readonly Period[]): Promise<void> {
    const rows = scopes.flatMap((scope) => periods.map((period) => newSalt(scope, period)));
    if (rows.length === 0) return;
    await this.database.createQueryBuilder().insert().into(Salt).values(rows).orIgnore().updateEntity(false).execute();
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

const newSalt = (scope: string, period: Period) => ({
  scope,
  period: period.name,
  salt: randomBytes(SALT_BYTES),
  expiresAt: period.end === Infinity ? null : new Date(expiryOf(period)),
});
