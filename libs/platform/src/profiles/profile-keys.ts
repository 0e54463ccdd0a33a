import { randomBytes, randomUUID } from 'node:crypto';
import { Column, type DataSource, Entity, PrimaryColumn } from 'typeorm';
import type { SealedProfile } from '@ledgerline/contracts/events/observed-events';
import { NAMING_TRAITS, type Traits } from '@ledgerline/contracts/read-models/profiles';
import { orUnavailable } from '../database/database-errors';
import { textHash } from '../database/sql';
import { decrypt, encrypt } from '../personal-data/subject-keys';

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

/** A profile's name in the log and its key; the subject as 32 hex digits or as a uuid. */
interface SealingKey {
  readonly subject: string;
  readonly key: Buffer;
}

/** A profile as events hold it: who it is and what is known, each readable only with the key. */
export function sealProfile(sealing: SealingKey, profileId: string, traits: Traits): SealedProfile {
  const subject = sealing.subject.replaceAll('-', '');
  const sealed = Object.entries(traits).map(([name, value]) => {
    return [name, value === null ? null : seal(sealing.key, JSON.stringify(value), traitOf(subject, name))] as const;
  });
  return { subject, profileId: seal(sealing.key, profileId, idOf(subject)), traits: Object.fromEntries(sealed) };
}

/** @throws Error if it was sealed with another key, or as something else */
export const unsealProfileId = ({ subject, key }: SealingKey, sealed: string): string =>
  unseal(key, sealed, idOf(subject.replaceAll('-', '')));

/** @throws Error if it was sealed with another key, or as something else */
export const unsealTrait = ({ subject, key }: SealingKey, name: string, sealed: string): Traits[string] =>
  JSON.parse(unseal(key, sealed, traitOf(subject.replaceAll('-', ''), name))) as Traits[string];

/** By what a person is shown, of sealed traits by name; null of none. @throws Error as {@link unsealTrait} */
export function unsealName(sealing: SealingKey, traits: Readonly<Record<string, string>>): string | null {
  for (const name of NAMING_TRAITS) {
    const sealed = traits[name];
    const value = sealed === undefined ? '' : unsealTrait(sealing, name, sealed);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

const idOf = (subject: string) => [subject, 'profile id'];
const traitOf = (subject: string, name: string) => [subject, 'trait', name];

/** Base64url of what `encrypt` gives; readable only in the same context. */
const seal = (key: Buffer, text: string, context: readonly string[]): string =>
  encrypt(key, Buffer.from(text), context).toString('base64url');

function unseal(key: Buffer, sealed: string, context: readonly string[]): string {
  const plain = decrypt(key, Buffer.from(sealed, 'base64url'), context);
  if (plain === null) throw new Error('This was sealed with another key, or as something else.');
  return plain.toString('utf8');
}
