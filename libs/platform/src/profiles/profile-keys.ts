import { randomBytes, randomUUID } from 'node:crypto';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import { orUnavailable } from '../database/database-errors';
import { textHash } from '../database/sql';

/** The key with which a profile of a website is sealed. */
@Entity('profile_keys')
export class ProfileKey {
  @PrimaryColumn('text', { name: 'website_id' })
  websiteId: string;

  /** `textHash` of the profile id, as Postgres writes a uuid. */
  @PrimaryColumn('uuid', { name: 'profile_hash' })
  profileHash: string;

  /** The profile's name in the log, random. */
  @Column('uuid')
  subject: string;

  @Column('bytea')
  key: Buffer;
}

/** The keys of profiles. They are never cached, so that a forgotten profile is not written with an old key. */
export class ProfileKeys {
  constructor(private readonly database: DataSource) {}

  /**
   * The key of a profile, created when it is identified for the first time.
   * @throws LogUnavailable while Postgres is away
   */
  obtain(websiteId: string, profileId: string): Promise<ProfileKey> {
    return orUnavailable(WHAT, async () => {
      const keys = this.database.getRepository(ProfileKey);
      const profileHash = textHash(profileId);
      const known = await keys.findOneBy({ websiteId, profileHash });
      if (known !== null) return known;
      const fresh = { websiteId, profileHash, subject: randomUUID(), key: randomBytes(KEY_BYTES) };
      await keys.createQueryBuilder().insert().values(fresh).orIgnore().updateEntity(false).execute();
      return keys.findOneByOrFail({ websiteId, profileHash });
    });
  }

  /** The name in the log of a profile that has a key. @throws LogUnavailable */
  subjectOf(websiteId: string, profileId: string): Promise<string | undefined> {
    return orUnavailable(WHAT, async () => {
      const which = { websiteId, profileHash: textHash(profileId) };
      return (await this.database.getRepository(ProfileKey).findOneBy(which))?.subject;
    });
  }

  /** By the name in the log; null once it is destroyed. @throws LogUnavailable */
  find(websiteId: string, subject: string): Promise<ProfileKey | null> {
    return orUnavailable(WHAT, () => this.database.getRepository(ProfileKey).findOneBy({ websiteId, subject }));
  }

  /** @throws LogUnavailable */
  exists(websiteId: string, subject: string): Promise<boolean> {
    return orUnavailable(WHAT, () => this.database.getRepository(ProfileKey).existsBy({ websiteId, subject }));
  }

  /** Deletes a key: what was sealed with it can never be read again. May be repeated. @throws LogUnavailable */
  async destroy(websiteId: string, subject: string): Promise<void> {
    await orUnavailable(WHAT, () => this.database.getRepository(ProfileKey).delete({ websiteId, subject }));
  }
}

const WHAT = 'The store of profile keys';

const KEY_BYTES = 32;
