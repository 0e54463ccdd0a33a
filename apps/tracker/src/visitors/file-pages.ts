import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LRUCache } from 'lru-cache';

const PAGE = 4096;
const MAX_PAGES = 1_024;

/**
 * The bytes of a file that does not change, read when they are needed. The system keeps what is used often, so that a
 * read seldom waits for the disk; the latest pages stay in this process.
 */
export class FilePages {
  readonly size: number;
  private readonly file: number;
  private readonly pages = new LRUCache<number, Buffer>({
    max: MAX_PAGES,
    memoMethod: (page) => this.read(page * PAGE, PAGE),
  });

  constructor(path: string) {
    this.file = openSync(path, 'r');
    this.size = fstatSync(this.file).size;
  }

  /** So many bytes from a place on; fewer at the end of the file. */
  at(start: number, length: number): Buffer {
    const page = Math.floor(start / PAGE);
    const from = start - page * PAGE;
    return from + length <= PAGE
      ? this.pages.memo(page).subarray(from, from + length)
      : this.read(start, Math.min(length, this.size - start));
  }

  close(): void {
    closeSync(this.file);
  }

  private read(start: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    return bytes.subarray(0, readSync(this.file, bytes, 0, length, start));
  }
}
