import { LRUCache } from 'lru-cache';
import { LessThan, type DataSource, type Repository } from 'typeorm';
import { ApiKeySecret } from './api-key-secret.entity';
import { hashSecret, looksLikeSecret } from './secret';

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
