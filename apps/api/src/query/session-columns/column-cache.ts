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

  set(key: string, column: string, bytes: Uint8Array): void {
    this.bytes?.set(`${key} ${column}`, bytes);
  }
}
