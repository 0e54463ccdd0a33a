import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomFillSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isObject } from '@ledgerline/contracts/json';
import { orUnavailable } from '../database/database-errors';
import { noteErased } from '../database/file-rewrites';
import { type Queryable, run } from '../database/pool';
import { type Sql, sql } from '../database/sql';
import { isShared, streamOrganization, type RecordedEvent } from '../event-store/event-store';
import { newUlid } from '../ids/new-ulid';

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
    return parts.length === 0 ? undefined : encodeSealedParts(parts);
  }

  /**
   * Returns what can be read of the sealed parts of events, by event id, in one request for all keys: of subjects whose
   * key was destroyed that they are erased, and nothing of events without a sealed part. @throws LogUnavailable
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
  organization: (isShared(stream) ? metadata['organization'] : undefined) ?? streamOrganization(stream),
  eventId: id,
});

/** The personal data that an event holds about a person, or about the client of an API key. */
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
  const text = encrypt(key, Buffer.from(JSON.stringify(data)), contextOfPart(of, subject)).toString('base64');
  return { subject, keyId, text };
}

/** Null when the part was encrypted with another key or for another event. */
function openPart(of: PartOf, { subject, text }: SealedPart, key: Buffer): PersonalData | null {
  const plain = decrypt(key, Buffer.from(text, 'base64'), contextOfPart(of, subject));
  return plain && (JSON.parse(plain.toString('utf8')) as PersonalData); // as sealPart wrote it: the tag was valid
}

/** The `sealed` of an event: base64 of a JSON list of parts. */
export const encodeSealedParts = (parts: readonly SealedPart[]): string =>
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
  isObject(part) && ['subject', 'keyId', 'text'].every((name) => typeof part[name] === 'string');

const contextOfPart = ({ organization, eventId }: PartOf, subject: string) => [organization, eventId, subject];

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM; nonce, ciphertext and tag. */
export function encrypt(key: Buffer, plain: Buffer, context: readonly string[]): Buffer {
  const nonce = newNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(bytesOf(context));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null for bytes that were not encrypted with this key in this context. */
export function decrypt(key: Buffer, bytes: Buffer, context: readonly string[]): Buffer | null {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(bytesOf(context)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}

const bytesOf = (context: readonly string[]): Buffer => Buffer.from(JSON.stringify(context));

/** Drawn many at a time, as a single draw costs a third of an encryption. */
const nonces = Buffer.alloc(NONCE_BYTES * 256);
let drawn = nonces.length;

function newNonce(): Buffer {
  if (drawn === nonces.length) {
    randomFillSync(nonces);
    drawn = 0;
  }
  const nonce = Buffer.from(nonces.subarray(drawn, drawn + NONCE_BYTES));
  drawn += NONCE_BYTES;
  return nonce;
}

/** The key with which the personal data of one subject in one organization is encrypted; 32 bytes. */
interface SubjectKey {
  readonly keyId: string;
  readonly key: Buffer;
}

const KEY_BYTES = 32;
/** The time, ms, for which a process may go on encrypting with a key that another process has destroyed, ms. */
const IN_USE_MS = 60_000;

/** Answers whose they were. May be repeated. */
export const destroyKeys = (
  database: Queryable,
  organization: string,
  keyIds: readonly string[],
): Promise<{ readonly subject: string }[]> =>
  run<{ subject: string }>(
    database,
    sql`with noted as (${noteErased})
        update subject_keys set wrapped = null, destroyed_at = coalesce(destroyed_at, clock_timestamp())
        where organization = ${organization} and key_id = any(${keyIds}) returning subject`,
  );

/**
 * The keys of sealed personal data, one per organization and subject, in a table outside the events. Each is stored
 * encrypted with a key that is derived from a secret of the configuration. Destroying one makes everything encrypted
 * with it unreadable for ever.
 */
export class SubjectKeys {
  private readonly wrapping: Buffer;
  private readonly wrappedBy: string;
  private readonly used = new LRUCache<string, SubjectKey>({ max: 10_000, ttl: IN_USE_MS });

  constructor(
    private readonly database: Queryable,
    secret: string,
  ) {
    this.wrapping = Buffer.from(hkdfSync('sha256', secret, '', 'ledgerline subject keys', KEY_BYTES));
    this.wrappedBy = createHash('sha256').update(this.wrapping).digest('hex').slice(0, 16);
  }

  /** The key to encrypt with; the first request creates it. @throws LogUnavailable */
  async inUse(organization: string, subject: string): Promise<SubjectKey> {
    const place = `${organization} ${subject}`;
    const key = this.used.get(place) ?? (await this.obtain(organization, subject));
    this.used.set(place, key);
    return key;
  }

  /** The keys that exist, by id; a key that was destroyed, or encrypted with another secret, is absent. @throws LogUnavailable */
  async find(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
    const keys = [...(await this.states(keyIds))];
    return new Map(keys.flatMap(([keyId, key]) => (key === 'destroyed' ? [] : [[keyId, key]])));
  }

  /** Returns the states of keys, with those that were destroyed. @throws LogUnavailable */
  async states(keyIds: readonly string[]): Promise<ReadonlyMap<string, Buffer | 'destroyed'>> {
    if (keyIds.length === 0) return new Map();
    const rows = await this.select(sql`where key_id = any(${keyIds})`);
    return new Map(
      rows.flatMap((row) => {
        const key = row.wrapped === null ? 'destroyed' : this.unwrap(row);
        return key ? [[row.keyId, key]] : [];
      }),
    );
  }

  /** All that a subject ever had, those destroyed included. @throws LogUnavailable */
  async idsOf(organization: string, subject: string): Promise<readonly string[]> {
    const rows = await this.select(sql`where organization = ${organization} and subject = ${subject} order by key_id`);
    return rows.map(({ keyId }) => keyId);
  }

  /** May be repeated. @throws LogUnavailable */
  async destroy(organization: string, keyIds: readonly string[]): Promise<void> {
    const subjects = await orUnavailable(WHAT, () => destroyKeys(this.database, organization, keyIds));
    for (const { subject } of subjects) this.used.delete(`${organization} ${subject}`);
  }

  private async obtain(organization: string, subject: string): Promise<SubjectKey> {
    const found = await this.current(organization, subject);
    if (found) return found;
    const row = { keyId: `sk_${newUlid()}`, organization, subject };
    const wrapped = encrypt(this.wrapping, randomBytes(KEY_BYTES), contextOfKey(row));
    await orUnavailable(WHAT, () =>
      run(
        this.database,
        sql`insert into subject_keys (key_id, organization, subject, wrapped, wrapped_by)
            values (${row.keyId}, ${organization}, ${subject}, ${wrapped}, ${this.wrappedBy}) on conflict do nothing`,
      ),
    );
    const created = await this.current(organization, subject);
    if (!created) throw new Error(`The key of ${subject} was destroyed while it was created.`);
    return created;
  }

  private async current(organization: string, subject: string): Promise<SubjectKey | undefined> {
    const [row] = await this.select(
      sql`where organization = ${organization} and subject = ${subject} and wrapped_by = ${this.wrappedBy}
          and wrapped is not null`,
    );
    const key = row && this.unwrap(row);
    return row && key && { keyId: row.keyId, key };
  }

  private unwrap(row: Row): Buffer | undefined {
    return (row.wrapped && decrypt(this.wrapping, row.wrapped, contextOfKey(row))) ?? undefined;
  }

  private select(condition: Sql): Promise<Row[]> {
    return orUnavailable(WHAT, () =>
      run<Row>(
        this.database,
        sql`select key_id as "keyId", organization, subject, wrapped from subject_keys ${condition}`,
      ),
    );
  }
}

interface Row {
  readonly keyId: string;
  readonly organization: string;
  readonly subject: string;
  /** Null once it is destroyed. */
  readonly wrapped: Buffer | null;
}

const WHAT = 'The table of keys of personal data';

/** A row that is copied to another organization or subject cannot be decrypted. */
const contextOfKey = ({ keyId, organization, subject }: Omit<Row, 'wrapped'>) => [keyId, organization, subject];
