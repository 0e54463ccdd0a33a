import { LRUCache } from 'lru-cache';
import { type Sql, sql } from '@ledgerline/platform/database/sql';
import { yieldToEventLoop } from '@ledgerline/platform/log/timing';

/** Bytes of an entry beside its column: its key, and what the cache itself needs. */
const OVERHEAD = 256;
const MIB = 1024 * 1024;

/** The bytes of columns of sealed days and of rollups. A key names the content, so none is ever stale. */
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

  get limit(): number {
    return this.bytes?.maxSize ?? 0;
  }

  get(key: string, column: string): Uint8Array | undefined {
    const found = this.bytes?.get(`${key} ${column}`);
    if (found) this.hits++;
    else this.misses++;
    return found;
  }

  /** Returns the bytes of a column, if they are there. */
  find(key: string, column: string): Uint8Array | undefined {
    return this.bytes?.get(`${key} ${column}`);
  }

  set(key: string, column: string, bytes: Uint8Array): void {
    this.bytes?.set(`${key} ${column}`, bytes);
  }
}

/** A column of what has a key in the cache. */
export interface WantedColumn {
  readonly key: string;
  readonly column: string;
}

/**
 * The bytes of columns: what the cache lacks of them is read at once and kept there.
 * @throws Error for a column that went away meanwhile, as without a snapshot it may
 */
export async function readThrough<Of extends WantedColumn>(
  cache: ColumnCache,
  wanted: Iterable<Of>,
  read: (lacking: readonly Of[]) => Promise<(of: Of) => Uint8Array | undefined>,
): Promise<ReadonlyMap<Of, Uint8Array>> {
  const columns = new Map<Of, Uint8Array>();
  const lacking: Of[] = [];
  const pause = yieldToEventLoop();
  for (const column of wanted) {
    const bytes = cache.get(column.key, column.column);
    if (bytes) columns.set(column, bytes);
    else lacking.push(column);
    await pause();
  }
  const bytesOf = lacking.length === 0 ? undefined : await read(lacking);
  for (const column of lacking) {
    const bytes = bytesOf?.(column);
    if (!bytes) throw new Error(`The column ${column.column} has gone.`);
    columns.set(column, bytes);
    cache.set(column.key, column.column, bytes);
  }
  return columns;
}

/** A part of the bytes of a column. */
export interface CachedColumnPart {
  /** The length of the whole column. */
  readonly length: number;
  readonly begin: number;
  readonly bytes: string;
}

/** TRICKY: the event loop is held for a part at once, by the driver and here; its bytes are base64, as the driver reads text. */
const PART_BYTES = 192 * 1024;

/** Returns what is selected of these bytes for a part, which begins at a row of {@link beginsOf}. */
export const selectPartSql = (bytes: Sql): Sql => sql`octet_length(${bytes}) as length, begin,
  encode(substr(${bytes}, begin + 1, ${PART_BYTES}::int), 'base64') as bytes`;

/** One row of nothing. */
export const beginsOf = (bytes: Sql): Sql =>
  sql`generate_series(0, greatest(octet_length(${bytes}) - 1, 0), ${PART_BYTES}::int) as begin`;

/** TRICKY: sharing memory with threads costs more than copying so few bytes. */
const LEAST_SHARED = 1024;

/** The bytes of each key, in memory that threads share. */
export async function joinParts<Of extends CachedColumnPart>(
  parts: readonly Of[],
  keyOf: (part: Of) => string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const joined = new Map<string, Uint8Array>();
  const pause = yieldToEventLoop();
  for (const part of parts) {
    const key = keyOf(part);
    const { length, begin, bytes } = part;
    const whole =
      joined.get(key) ??
      new Uint8Array(length < LEAST_SHARED ? new ArrayBuffer(length) : new SharedArrayBuffer(length));
    whole.set(Buffer.from(bytes, 'base64'), begin);
    joined.set(key, whole);
    await pause();
  }
  return joined;
}
