import { type SubjectKey, type SubjectKeys, decrypt, encrypt } from './subject-keys';
import { isShared, organizationOf, type RecordedEvent } from '../event-store/event-store';

/** Personal data by the id of whom it is about. */
export type PersonalDataBySubject = ReadonlyMap<string, PersonalData>;

/** Encrypts personal data for events, and decrypts what may still be read. */
export class PersonalDataCipher {
  constructor(private readonly keys: SubjectKeys) {}

  /** The `sealed` of an event; undefined when there is nothing to seal. @throws LogUnavailable */
  async seal(of: PartOf, data: PersonalDataBySubject): Promise<string | undefined> {
    const parts: SealedPart[] = [];
    for (const [subject, own] of data) {
      parts.push(sealPart(of, subject, await this.keys.inUse(of.organization, subject), own));
    }
    return parts.length === 0 ? undefined : writeParts(parts);
  }

  /**
   * What can be read of the sealed parts of events, by event id, in one request for all keys: of subjects whose key was
   * destroyed that they are erased, and nothing of events without a sealed part. @throws LogUnavailable
   */
  async open(events: readonly Sealed[]): Promise<ReadonlyMap<string, PersonalDataBySubject>> {
    const sealed = events.map((event) => ({ event, parts: readParts(event.sealed ?? '') }));
    const keys = await this.keys.states([...new Set(sealed.flatMap(({ parts }) => parts.map(({ keyId }) => keyId)))]);
    return new Map(
      sealed.map(({ event, parts }) => {
        const opened = new Map<string, PersonalData>();
        for (const part of parts) {
          const key = keys.get(part.keyId);
          const data = key === 'destroyed' ? ERASED : key && openPart(partOf(event), part, key);
          if (data) opened.set(part.subject, data);
        }
        return [event.id, opened];
      }),
    );
  }
}

const ERASED: PersonalData = { erased: true };

type Sealed = Pick<RecordedEvent, 'id' | 'sealed' | 'stream' | 'metadata'>;

/** The organization that acted, which the metadata names where the stream does not. */
const partOf = ({ id, stream, metadata }: Sealed): PartOf => ({
  organization: (isShared(stream) ? metadata['organization'] : undefined) ?? organizationOf(stream),
  eventId: id,
});

/** What an event holds about a person, or about the client of an API key. */
export interface PersonalData {
  readonly name?: string;
  readonly email?: string;
  readonly ip?: string;
  readonly userAgent?: string;
  /** Instead of all that when it is read after its key was destroyed. */
  readonly erased?: true;
}

/** The personal data of one subject in one event, encrypted. */
interface SealedPart {
  /** The id of a user, of an API key or of an invitation. */
  readonly subject: string;
  readonly keyId: string;
  /** Base64 of nonce, ciphertext and authentication tag. */
  readonly text: string;
}

/** The event that a part belongs to; a part that is put into another event cannot be decrypted. */
interface PartOf {
  readonly organization: string;
  readonly eventId: string;
}

function sealPart(of: PartOf, subject: string, { keyId, key }: SubjectKey, data: PersonalData): SealedPart {
  const text = encrypt(key, Buffer.from(JSON.stringify(data)), contextOf(of, subject)).toString('base64');
  return { subject, keyId, text };
}

/** Null when the part was encrypted with another key or for another event. */
function openPart(of: PartOf, { subject, text }: SealedPart, key: Buffer): PersonalData | null {
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
