import { randomBytes, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { orUnavailable } from '../database/database-errors';
import { textHash } from '../database/text';
import { ProfileKey } from './profile-key.entity';
import { KEY_BYTES } from './sealed-profile';

/** The keys of profiles. They are never cached, so that a forgotten profile is not written with an old key. */
export class ProfileKeys {
  constructor(private readonly database: DataSource) {}

  /**
   * The key of a profile, created when it is identified for the first time.
   * @throws LogUnavailable while Postgres is away
   */
  obtain(websiteId: string, profileId: string): Promise<ProfileKey> {
    return orUnavailable('The store of profile keys', async () => {
      const keys = this.database.getRepository(ProfileKey);
      const profileHash = textHash(profileId);
      const fresh = { websiteId, profileHash, subject: randomUUID(), key: randomBytes(KEY_BYTES) };
      await keys.createQueryBuilder().insert().values(fresh).orIgnore().updateEntity(false).execute();
      return keys.findOneByOrFail({ websiteId, profileHash });
    });
  }

  /** Deletes the key: what was sealed with it can never be read again. False if there was none. */
  forget(websiteId: string, profileId: string): Promise<boolean> {
    return orUnavailable('The store of profile keys', async () => {
      const which = { websiteId, profileHash: textHash(profileId) };
      const { affected } = await this.database.getRepository(ProfileKey).delete(which);
      return affected === 1;
    });
  }
}
