import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a profile of a website is sealed with. */
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
