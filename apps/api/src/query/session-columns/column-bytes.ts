import { sql, type Sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';
import { LRUCache } from 'lru-cache';

/** Of an entry beside its bytes: its key and place in the cache. */
const OVERHEAD = 256;
const MIB = 1024 * 1024;

/** The bytes of columns of sealed days and of kept counts. A key names the content, so none is ever stale. */
export class ColumnCache {
  private readonly bytes: LRUCache<string, Uint8Array> | undefined;
  hits = 0;
  misses = 0;

  /** @param mib of memory in all; 0 = nothing is kept */
  constructor(mib: number) {
    if (mib === 0) return;
    this.bytes = new LRUCache({ maxSize: mib * MIB, sizeCalculation: ({ byteLength }) => byteLength + OVERHEAD });
  }

  get size(): number {
    return this.bytes?.calculatedSize ?? 0;
  }

  get(key: string, column: string): Uint8Array | undefined {
    const found = this.bytes?.get(`${key} ${column}`);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** The same, where it is no matter whether it is there. */
  find(key: string, column: string): Uint8Array | undefined {
    return this.bytes?.get(`${key} ${column}`);
  }

  set(key: string, column: string, bytes: Uint8Array): void {
    this.bytes?.set(`${key} ${column}`, bytes);
  }
}

/** A part of the bytes of a column. */
export interface Part {
  /** Of the whole column. */
  readonly length: number;
  readonly begin: number;
  readonly bytes: string;
}

/** TRICKY: the event loop is held for a part at once, by the driver and here; its bytes are base64, as the driver reads text. */
const PART_BYTES = 192 * 1024;

/** What is selected of these bytes for a part, which begins at a row of {@link beginsOf}. */
export const partOf = (bytes: Sql): Sql => sql`octet_length(${bytes}) as length, begin,
  encode(substr(${bytes}, begin + 1, ${PART_BYTES}::int), 'base64') as bytes`;

/** One row of nothing. */
export const beginsOf = (bytes: Sql): Sql =>
  sql`generate_series(0, greatest(octet_length(${bytes}) - 1, 0), ${PART_BYTES}::int) as begin`;

/** TRICKY: sharing memory with threads costs more than copying so few bytes. */
const LEAST_SHARED = 1024;

/** The bytes of each key, in memory that threads share. */
export async function joinParts<Of extends Part>(
  parts: readonly Of[],
  keyOf: (part: Of) => string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const [joined, pause] = [new Map<string, Uint8Array>(), yieldToEventLoop()];
  for (const part of parts) {
    const [key, { length, begin, bytes }] = [keyOf(part), part];
    const whole =
      joined.get(key) ??
      new Uint8Array(length < LEAST_SHARED ? new ArrayBuffer(length) : new SharedArrayBuffer(length));
    whole.set(Buffer.from(bytes, 'base64'), begin);
    joined.set(key, whole);
    await pause();
  }
  return joined;
}
