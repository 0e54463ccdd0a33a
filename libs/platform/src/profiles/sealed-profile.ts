import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedProfile } from '@ledgerline/contracts/events/observed-events';
import type { Traits } from '@ledgerline/contracts/profiles';

export const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A profile's name in the log and its key; the subject as 32 hex digits or as a uuid. */
export interface SealingKey {
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

const idOf = (subject: string) => `${subject}\nprofile id`;
const traitOf = (subject: string, name: string) => `${subject}\ntrait\n${name}`;

/** AES-256-GCM as base64url of nonce, tag and ciphertext; readable only in the same context. */
function seal(key: Buffer, text: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, cipher.getAuthTag(), ...encrypted]).toString('base64url');
}

function unseal(key: Buffer, sealed: string, context: string): string {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
