import { LRUCache } from 'lru-cache';
import { decrypt, encrypt } from '../encryption/aes-gcm';
import { newUlid } from '../ids/new-ulid';
import type { SubjectKeys } from './subject-keys';

/** The values of each rule of a flag. */
export type RuleValues = readonly (readonly string[])[];

/** What the values belong to: encrypted values that are put into another flag cannot be read. */
export interface FlagOfValues {
  readonly organizationId: string;
  readonly flagId: string;
}

/** Null = there are no values. */
export interface SealedFlag extends FlagOfValues {
  readonly ruleValues: string | null;
}

const MAX_CACHED = 10_000;
/** How long a process may go on reading values whose key another process has destroyed, ms. */
const READABLE_MS = 60_000;

/**
 * The values of rules of flags, which may be ids and addresses of people: encrypted in events and tables, each time with
 * a key of their own, which is destroyed once they are replaced.
 */
export class FlagValues {
  private readonly opened = new LRUCache<string, RuleValues>({ max: MAX_CACHED, ttl: READABLE_MS });

  constructor(private readonly keys: Pick<SubjectKeys, 'inUse' | 'find' | 'destroy'>) {}

  /** @throws LogUnavailable */
  async seal(flag: FlagOfValues, values: RuleValues): Promise<string> {
    const part = newUlid();
    const { keyId, key } = await this.keys.inUse(flag.organizationId, subjectOf(flag, part));
    const bytes = encrypt(key, Buffer.from(JSON.stringify(values)), contextOf(flag));
    return [part, keyId, bytes.toString('base64')].join('.');
  }

  /** The values by their sealed text, with one request for all keys; absent = they cannot be read any more. @throws LogUnavailable */
  async open(flags: readonly SealedFlag[]): Promise<ReadonlyMap<string, RuleValues>> {
    const found = new Map<string, RuleValues>();
    const missing: Missing[] = [];
    for (const flag of flags) {
      const values = flag.ruleValues === null ? undefined : this.opened.get(flag.ruleValues);
      if (values) found.set(flag.ruleValues ?? '', values);
      else if (flag.ruleValues !== null) missing.push({ flag, text: flag.ruleValues, ...partsOf(flag.ruleValues) });
    }
    const keys = await this.keys.find(missing.map(({ keyId }) => keyId));
    for (const { flag, text, keyId, bytes } of missing) {
      const key = keys.get(keyId);
      const plain = key && decrypt(key, bytes, contextOf(flag));
      if (!plain) continue;
      const values = JSON.parse(plain.toString('utf8')) as RuleValues; // as it was sealed: the tag was valid
      this.opened.set(text, values);
      found.set(text, values);
    }
    return found;
  }

  /** Makes values unreadable for ever; may be repeated. @throws LogUnavailable */
  async destroy(flags: readonly SealedFlag[]): Promise<void> {
    const sealed = flags.flatMap((flag) => (flag.ruleValues === null ? [] : [{ flag, text: flag.ruleValues }]));
    const alive = await this.keys.find(sealed.map(({ text }) => partsOf(text).keyId));
    for (const { flag, text } of sealed) {
      const { keyId } = partsOf(text);
      this.opened.delete(text);
      if (alive.has(keyId)) await this.keys.destroy(flag.organizationId, [keyId]);
    }
  }
}

type Missing = ReturnType<typeof partsOf> & { readonly flag: SealedFlag; readonly text: string };

const subjectOf = ({ flagId }: FlagOfValues, part: string): string => `${flagId}.${part}`;

const contextOf = ({ organizationId, flagId }: FlagOfValues) => [organizationId, flagId];

function partsOf(text: string) {
  const [part = '', keyId = '', bytes = ''] = text.split('.');
  return { part, keyId, bytes: Buffer.from(bytes, 'base64') };
}
