import { createHmac, createSecretKey, hkdfSync, timingSafeEqual, type KeyObject } from 'node:crypto';

/** What a tag vouches for, beside the topic. */
export interface TaggedParts {
  readonly partition: number;
  readonly key: string;
  /** The header that names sender, number and how retries are recognised. */
  readonly hit: string;
  readonly traceparent: string | undefined;
  readonly value: string | Buffer;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;

/**
 * Keyed hashes by which a copier recognises messages that trackers of its installation wrote. Without them, whoever may
 * write to the topic could number messages as a tracker does, whose own would then be taken for repeats.
 */
export class MessageTags {
  private readonly key: KeyObject;

  /** The secret is one that all processes of the installation have; the key is of this use alone. */
  constructor(
    secret: string,
    private readonly topic: string,
  ) {
    const key = hkdfSync('sha256', secret, '', 'ledgerline kafka messages', KEY_BYTES);
    this.key = createSecretKey(new Uint8Array(key));
  }

  tagOf(parts: TaggedParts): string {
    return this.digest(parts).toString('base64url');
  }

  isValid(tag: Buffer, parts: TaggedParts): boolean {
    const found = Buffer.from(tag.toString(), 'base64url');
    return found.length === TAG_BYTES && timingSafeEqual(found, this.digest(parts));
  }

  private digest({ partition, key, hit, traceparent, value }: TaggedParts): Buffer {
    const framed = JSON.stringify([this.topic, partition, key, hit, traceparent ?? null]);
    return createHmac('sha256', this.key).update(`${framed}\n`).update(value).digest().subarray(0, TAG_BYTES);
  }
}
