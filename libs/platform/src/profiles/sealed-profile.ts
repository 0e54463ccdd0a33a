import type { SealedProfile } from '@ledgerline/contracts/events/observed-events';
import { NAMING_TRAITS, type Traits } from '@ledgerline/contracts/read-models/profiles';
import { decrypt, encrypt } from '../personal-data/personal-data-cipher';

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
