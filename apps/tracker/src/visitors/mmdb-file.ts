import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

/** The value of a record, as far as places need it. */
type MmdbValue = string | number | readonly MmdbValue[] | { readonly [name: string]: MmdbValue };

const METADATA_MARK = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const MAX_METADATA = 128 * 1024;
const SEPARATOR = 16;
const EXTENDED = 0;
const POINTER = 1;
const TEXT = 2;
const DOUBLE = 3;
const MAP = 7;
const ARRAY = 11;
const FLOAT = 15;
const NUMBERS: ReadonlySet<number> = new Set([5, 6, 9]); // unsigned, of 2, 4 and 8 bytes
/** A longer piece is read for itself. */
const AT_ONCE = 64;

interface Decoded {
  readonly value: MmdbValue;
  /** Where the next value begins. */
  readonly next: number;
}

/**
 * A MaxMind DB (format 2.0) with 28-bit nodes and records of texts, numbers, lists and maps, read from its file while it
 * is used: the included databases would take 134 MB of memory.
 */
export class MmdbFile {
  private readonly pages: FilePages;
  private readonly nodeCount: number;
  private readonly bits: number;
  /** Where the data begins, to which pointers refer. */
  private readonly data: number;

  constructor(path: string) {
    this.pages = new FilePages(path);
    const tail = Math.max(this.pages.size - MAX_METADATA, 0);
    const mark = this.pages.at(tail, MAX_METADATA).lastIndexOf(METADATA_MARK);
    if (mark < 0) throw new Error(`${path} is no MaxMind DB.`);
    this.data = tail + mark + METADATA_MARK.length; // of the metadata, until they are read
    const metadata = this.decode(this.data).value as Readonly<Record<string, MmdbValue>>;
    if (metadata['record_size'] !== NODE_BITS) throw new Error(`${path} has no ${NODE_BITS}-bit nodes.`);
    this.nodeCount = Number(metadata['node_count']);
    this.bits = metadata['ip_version'] === 4 ? 32 : 128;
    this.data = this.nodeCount * NODE_BYTES + SEPARATOR;
  }

  /** The record of an address; null where there is none, or for an address of another version. */
  get(address: string): MmdbValue | null {
    const bytes = bytesOf(address);
    if (bytes?.length !== this.bits / 8) return null;
    let node = 0;
    for (let bit = 0; bit < this.bits && node < this.nodeCount; bit++) {
      const isRight = ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1;
      node = this.child(node, isRight === 1);
    }
    if (node <= this.nodeCount) return null;
    return this.decode(node - this.nodeCount - SEPARATOR + this.data).value;
  }

  close(): void {
    this.pages.close();
  }

  private child(node: number, isRight: boolean): number {
    const bytes = this.pages.at(node * NODE_BYTES, NODE_BYTES);
    const high = bytes.readUInt8(3);
    return isRight ? ((high & 0x0f) << 24) | bytes.readUIntBE(4, 3) : ((high & 0xf0) << 20) | bytes.readUIntBE(0, 3);
  }

  private decode(start: number): Decoded {
    const head = this.pages.at(start, AT_ONCE);
    const control = head.readUInt8(0);
    const type = control >> 5 === EXTENDED ? head.readUInt8(1) + 7 : control >> 5;
    if (type === POINTER) return this.follow(start, head);
    const { size, length } = sizeIn(head, control >> 5 === EXTENDED ? 2 : 1);
    const content = start + length;
    if (type === MAP || type === ARRAY) return this.collect(content, size, type === MAP);
    const bytes = length + size <= head.length ? head.subarray(length, length + size) : this.pages.at(content, size);
    return { value: scalar(type, bytes), next: content + size };
  }

  private follow(start: number, head: Buffer): Decoded {
    const control = head.readUInt8(0);
    const length = ((control >> 3) & 3) + 1;
    const high = length === 4 ? 0 : control & 7;
    const place = high * 256 ** length + head.readUIntBE(1, length) + (POINTERS_FROM[length] ?? 0);
    return { value: this.decode(this.data + place).value, next: start + 1 + length };
  }

  private collect(start: number, size: number, isMap: boolean): Decoded {
    const values: MmdbValue[] = [];
    let next = start;
    for (let left = isMap ? size * 2 : size; left > 0; left--) {
      const item = this.decode(next);
      values.push(item.value);
      next = item.next;
    }
    if (!isMap) return { value: values, next };
    const pairs = values.flatMap((name, n) =>
      n % 2 === 0 ? [[name, values[n + 1] ?? ''] as [string, MmdbValue]] : [],
    );
    return { value: Object.fromEntries(pairs), next };
  }
}

const NODE_BITS = 28;
const NODE_BYTES = 7;
/** The number at which a pointer of so many bytes begins. */
const POINTERS_FROM: readonly number[] = [0, 0, 2048, 526336, 0];

/** The size of a value whose control byte is followed by this place, and the length of all that precedes its content. */
function sizeIn(head: Buffer, at: number): { readonly size: number; readonly length: number } {
  const size = head.readUInt8(0) & 0x1f;
  if (size < 29) return { size, length: at };
  const more = size - 28;
  return { size: ([29, 285, 65821][more - 1] ?? 0) + head.readUIntBE(at, more), length: at + more };
}

function scalar(type: number, bytes: Buffer): MmdbValue {
  if (type === TEXT) return bytes.toString('utf8');
  if (type === DOUBLE) return bytes.readDoubleBE();
  if (type === FLOAT) return bytes.readFloatBE();
  if (NUMBERS.has(type)) return bytes.reduce((number, byte) => number * 256 + byte, 0);
  throw new Error(`A MaxMind DB has a value of type ${type}.`);
}

/** Undefined for what is no address. */
function bytesOf(address: string): Buffer | undefined {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  const [left = '', right] = withoutDots(address).split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const before = groups(left);
  const after = groups(right ?? '');
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 255]));
}

/** `::ffff:1.2.3.4` with its last part in hexadecimal. */
const withoutDots = (address: string): string =>
  address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });

const PAGE = 4096;
const MAX_PAGES = 1_024;

/**
 * The bytes of a file that does not change, read when they are needed. The system keeps what is used often, so that a
 * read seldom waits for the disk; the latest pages stay in this process.
 */
class FilePages {
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
