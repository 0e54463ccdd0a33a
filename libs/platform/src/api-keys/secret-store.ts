import { createHash, createHmac, randomInt, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { Column, CreateDateColumn, type DataSource, Entity, LessThan, PrimaryColumn, type Repository } from 'typeorm';

/** One secret of one key, as a keyed hash. The events of the key decide which of its secrets is valid. */
@Entity('api_key_secrets')
export class ApiKeySecret {
  @PrimaryColumn('text', { name: 'secret_id' })
  secretId: string;

  @Column('text', { name: 'key_id' })
  keyId: string;

  @Column('bytea')
  hash: Buffer;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt: Date;
}

/** The key that a secret belongs to. Whether the secret is still valid is decided by the key's events. */
export interface FoundSecret {
  readonly keyId: string;
  readonly secretId: string;
}

const UNKNOWN = Symbol('no key has this secret');
const UNKNOWN_MS = 1_000;
const USE_RECORDED_EVERY_MS = 5 * 60_000;
/** Limited by size, as `max` would allocate its places at the start. */
const MANY = { maxSize: 50_000, sizeCalculation: () => 1 };

/** The secrets of API keys: written before the event that names them, found by their keyed hash. */
export class SecretStore {
  private readonly secrets: Repository<ApiKeySecret>;
  /** By hash, so that no secret stays in memory. What a hash means never changes, so found ones stay. */
  private readonly known = new LRUCache<string, FoundSecret | typeof UNKNOWN>(MANY);
  private readonly recorded = new LRUCache<string, true>({ ...MANY, ttl: USE_RECORDED_EVERY_MS });

  constructor(
    private readonly source: DataSource,
    private readonly pepper: string,
  ) {
    this.secrets = source.getRepository(ApiKeySecret);
  }

  /** Undefined for anything that is no secret of a key. @throws what the database throws when it cannot answer */
  async find(secret: string): Promise<FoundSecret | undefined> {
    if (!looksLikeSecret(secret)) return undefined;
    const hash = hashSecret(secret, this.pepper);
    const place = hash.toString('base64');
    let found = this.known.get(place);
    if (found === undefined) {
      found = await this.load(hash);
      this.known.set(place, found, found === UNKNOWN ? { ttl: UNKNOWN_MS } : undefined);
    }
    return found === UNKNOWN ? undefined : found;
  }

  /**
   * Keeps a secret and answers how it is kept: a secret of the same key that is there already stays as it is.
   * @throws Error when the secret or its id is another's
   */
  async add(secret: string, { keyId, secretId }: FoundSecret): Promise<FoundSecret> {
    const hash = hashSecret(secret, this.pepper);
    await this.secrets.createQueryBuilder().insert().values({ secretId, keyId, hash }).orIgnore().execute();
    const kept = await this.load(hash);
    if (kept === UNKNOWN || kept.keyId !== keyId) throw new Error('A secret or its id belongs to another key.');
    return kept;
  }

  /** Records that a key was used, in the background and at most once in five minutes. */
  noteUse(keyId: string): void {
    if (this.recorded.has(keyId)) return;
    this.recorded.set(keyId, true);
    const stored = this.source.query(
      `insert into api_key_uses (key_id, last_used_at) values ($1, $2)
       on conflict (key_id) do update set last_used_at = greatest(api_key_uses.last_used_at, excluded.last_used_at)`,
      [keyId, new Date()],
    );
    stored.catch(() => this.recorded.delete(keyId));
  }

  /** When each of these keys was used last, as far as recorded. */
  async lastUses(keyIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const uses: { key_id: string; last_used_at: Date }[] = await this.source.query(
      'select key_id, last_used_at from api_key_uses where key_id = any($1)',
      [keyIds],
    );
    return new Map(uses.map(({ key_id, last_used_at }) => [key_id, last_used_at]));
  }

  /**
   * Deletes secrets older than `before` that are not live: of commands that failed before their event, or replaced.
   * `before` must leave every command under way the time to append its event. Answers how many went.
   */
  async sweep(isLive: (secret: FoundSecret) => boolean, before: Date): Promise<number> {
    const old = await this.secrets.find({
      select: { secretId: true, keyId: true },
      where: { createdAt: LessThan(before) },
    });
    const dead = old.filter((secret) => !isLive(secret)).map(({ secretId }) => secretId);
    if (dead.length > 0) await this.secrets.delete(dead);
    return dead.length;
  }

  private async load(hash: Buffer): Promise<FoundSecret | typeof UNKNOWN> {
    const row = await this.secrets.findOne({ select: { keyId: true, secretId: true }, where: { hash } });
    return row ? { keyId: row.keyId, secretId: row.secretId } : UNKNOWN;
  }
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET = /^svc_[A-Za-z0-9]{48}$/;

export const SECRET_PREFIX = 'svc_';

/** A new secret: `svc_` and 48 characters, 285 bits from the system's CSPRNG; `randomInt` draws without modulo bias. */
export const newSecret = (): string =>
  SECRET_PREFIX + Array.from({ length: 48 }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

/** Returns what may be shown of a secret for ever: the prefix and four characters. */
export const secretStart = (secret: string): string => secret.slice(0, 8);

export const looksLikeSecret = (text: string): boolean => SECRET.test(text);

/** HMAC-SHA-256 under the pepper: without it, a stolen table cannot even be checked against guesses. */
export const hashSecret = (secret: string, pepper: string): Buffer =>
  createHmac('sha256', pepper).update(secret).digest();

interface CredentialOptions {
  /** Ignores an empty x-api-key and Authorization schemes other than Bearer, which proxies in front of a beacon add. */
  readonly lenient?: boolean;
}

/**
 * The API key that a request presents in `x-api-key`, `Authorization: Bearer`, or both with the same text. Null when it
 * presents none; an empty text, which is no key's secret, when it presents something else.
 */
export function credentialOf(headers: IncomingHttpHeaders, { lenient = false }: CredentialOptions = {}): string | null {
  const apiKey = single(headers['x-api-key']);
  const { authorization } = headers;
  const sent = [
    lenient && apiKey === '' ? undefined : apiKey,
    lenient && !isBearer(authorization) ? undefined : bearerToken(authorization),
  ].filter((text) => text !== undefined);
  const [secret = null, second = secret] = sent;
  return secret === second ? secret : '';
}

const single = (header: string | string[] | undefined): string | undefined =>
  Array.isArray(header) ? '' : header?.trim();

const isBearer = (header: string | undefined): boolean => header !== undefined && /^bearer /i.test(header);

/** The token of `Authorization: Bearer <token>`; an empty text for any other scheme. */
const bearerToken = (header: string | undefined): string | undefined =>
  header === undefined ? undefined : (/^bearer +(\S+)$/i.exec(header.trim())?.[1] ?? '');

/** In constant time, whatever the length of both. */
export const isSameSecret = (given: string, wanted: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(wanted));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
