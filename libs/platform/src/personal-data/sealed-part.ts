import { decrypt, encrypt } from '../encryption/aes-gcm';

/** What an event holds about a person, or about the client of an API key. */
export interface PersonalData {
  readonly name?: string;
  readonly email?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  /** Instead of all that when it is read after its key was destroyed. */
  readonly erased?: true;
}

/** The key with which the personal data of one subject in one organization is encrypted; 32 bytes. */
export interface SubjectKey {
  readonly keyId: string;
  readonly key: Buffer;
}

/** The personal data of one subject in one event, encrypted. */
export interface SealedPart {
  /** The id of a user, of an API key or of an invitation. */
  readonly subject: string;
  readonly keyId: string;
  /** Base64 of nonce, ciphertext and authentication tag. */
  readonly text: string;
}

/** The event that a part belongs to; a part that is put into another event cannot be decrypted. */
export interface PartOf {
  readonly organization: string;
  readonly eventId: string;
}

export function sealPart(of: PartOf, subject: string, { keyId, key }: SubjectKey, data: PersonalData): SealedPart {
  const text = encrypt(key, Buffer.from(JSON.stringify(data)), contextOf(of, subject)).toString('base64');
  return { subject, keyId, text };
}

/** Null when the part was encrypted with another key or for another event. */
export function openPart(of: PartOf, { subject, text }: SealedPart, key: Buffer): PersonalData | null {
  const plain = decrypt(key, Buffer.from(text, 'base64'), contextOf(of, subject));
  return plain && (JSON.parse(plain.toString('utf8')) as PersonalData); // as sealPart wrote it: the tag was valid
}

/** The `sealed` of an event: base64 of a JSON list of parts. */
export const writeParts = (parts: readonly SealedPart[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64');

/** None for a text that is no list of parts. */
export function readParts(sealed: string): readonly SealedPart[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(sealed, 'base64').toString('utf8'));
    return Array.isArray(parts) ? parts.filter(isPart) : [];
  } catch {
    return [];
  }
}

const isPart = (part: unknown): part is SealedPart =>
  typeof part === 'object' &&
  part !== null &&
  ['subject', 'keyId', 'text'].every((name) => typeof (part as Record<string, unknown>)[name] === 'string');

const contextOf = ({ organization, eventId }: PartOf, subject: string) => [organization, eventId, subject];
