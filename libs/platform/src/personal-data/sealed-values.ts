import { LRUCache } from 'lru-cache';
import { newUlid } from '../ids/new-ulid';
import { type SubjectKeys, decrypt, encrypt } from './personal-data-cipher';

/** The record that a value belongs to: an encrypted value that is put into another one cannot be read. */
export interface ValueOwner {
  readonly organizationId: string;
  readonly id: string;
}

/** Null = there is no value. */
export interface SealedValue extends ValueOwner {
  readonly sealed: string | null;
}

const MAX_CACHED = 10_000;
/** The time, ms, for which a process may go on reading a value whose key another process has destroyed, ms. */
const READABLE_MS = 60_000;

/** Values of records, encrypted in events and tables: each with a key of its own, which is destroyed once it is replaced. */
export class SealedValues<Value extends object> {
  private readonly opened = new LRUCache<string, Value>({ max: MAX_CACHED, ttl: READABLE_MS });

  constructor(private readonly keys: Pick<SubjectKeys, 'inUse' | 'find' | 'destroy'>) {}

  /** @throws LogUnavailable */
  async seal(owner: ValueOwner, value: Value): Promise<string> {
    const part = newUlid();
    const { keyId, key } = await this.keys.inUse(owner.organizationId, `${owner.id}.${part}`);
    const bytes = encrypt(key, Buffer.from(JSON.stringify(value)), contextOf(owner));
    return [part, keyId, bytes.toString('base64')].join('.');
  }

  /** The values by their sealed text, with one request for all keys; absent = they cannot be read any more. @throws LogUnavailable */
  async open(values: readonly SealedValue[]): Promise<ReadonlyMap<string, Value>> {
    const found = new Map<string, Value>();
    const missing: Missing[] = [];
    for (const owner of values) {
      const { sealed } = owner;
      if (sealed === null) continue;
      const value = this.opened.get(sealed);
      if (value) found.set(sealed, value);
      else missing.push({ owner, sealed, ...partsOf(sealed) });
    }
    const keys = await this.keys.find(missing.map(({ keyId }) => keyId));
    for (const { owner, sealed, keyId, bytes } of missing) {
      const key = keys.get(keyId);
      const plain = key && decrypt(key, bytes, contextOf(owner));
      if (!plain) continue;
      const value = JSON.parse(plain.toString('utf8')) as Value; // as it was sealed: the tag was valid
      this.opened.set(sealed, value);
      found.set(sealed, value);
    }
    return found;
  }

  /** Makes values unreadable for ever; may be repeated. @throws LogUnavailable */
  async destroy(values: readonly SealedValue[]): Promise<void> {
    const existing = values.flatMap(({ sealed, ...owner }) => (sealed === null ? [] : [{ owner, sealed }]));
    const alive = await this.keys.find(existing.map(({ sealed }) => partsOf(sealed).keyId));
    for (const { owner, sealed } of existing) {
      const { keyId } = partsOf(sealed);
      this.opened.delete(sealed);
      if (alive.has(keyId)) await this.keys.destroy(owner.organizationId, [keyId]);
    }
  }
}

type Missing = ReturnType<typeof partsOf> & { readonly owner: ValueOwner; readonly sealed: string };

const contextOf = ({ organizationId, id }: ValueOwner) => [organizationId, id];

function partsOf(text: string) {
  const [, keyId = '', bytes = ''] = text.split('.');
  return { keyId, bytes: Buffer.from(bytes, 'base64') };
}

/** The values of each rule of a flag. */
export type RuleValues = readonly (readonly string[])[];

/** The values of rules of flags, which may be ids and addresses of people. */
export class FlagValues extends SealedValues<RuleValues> {}
