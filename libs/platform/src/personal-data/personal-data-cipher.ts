import { organizationOf, type RecordedEvent } from '../event-store/event-store';
import {
  openPart,
  readParts,
  sealPart,
  writeParts,
  type PartOf,
  type PersonalData,
  type SealedPart,
} from './sealed-part';
import type { SubjectKeys } from './subject-keys';

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

/** The organization that acted; the stream of a slug belongs to none. */
const partOf = ({ id, stream, metadata }: Sealed): PartOf => ({
  organization: metadata['organization'] ?? organizationOf(stream),
  eventId: id,
});
