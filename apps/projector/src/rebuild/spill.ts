import { type FileHandle, open } from 'node:fs/promises';
import { SESSION_ATTRIBUTES, type SessionAttribute } from '@ledgerline/contracts/attributes';
import { HIT_WIDTHS, widthOfHit } from '@ledgerline/contracts/read-models/event-kinds';
import { type SessionAttributes, hitValue } from '@ledgerline/contracts/sessions/session';
import { singleEventId } from '@ledgerline/domain/sessions/add-hits';
import type { FactColumns, ReadHit, WebsiteHitEvent } from '../projections/websites/read-hit';

/** Where some records of one bucket are. */
export interface Block {
  readonly file: string;
  readonly from: number;
  readonly size: number;
}

/** Bytes of all blocks that are being filled. */
const FILLING = 24 * 1024 * 1024;
const LEAST_BLOCK = 4 * 1024;
const LARGEST_BLOCK = 64 * 1024;

/** A file of records, those of each bucket in blocks. */
export class SpillFile {
  private readonly filling = new Map<number, { readonly bytes: Buffer; end: number }>();
  private readonly written = new Map<number, Block[]>();
  private readonly blockSize: number;
  private end = 0;

  private constructor(
    private readonly file: string,
    private readonly handle: FileHandle,
    buckets: number,
  ) {
    this.blockSize = Math.min(Math.max(Math.floor(FILLING / buckets), LEAST_BLOCK), LARGEST_BLOCK);
  }

  /** Makes a file that only its owner may read; answers the blocks of each bucket of what `fill` adds, in that order. */
  static async write(
    file: string,
    buckets: number,
    fill: (into: SpillFile) => Promise<void>,
  ): Promise<ReadonlyMap<number, readonly Block[]>> {
    const handle = await open(file, 'wx', 0o600);
    try {
      const spill = new SpillFile(file, handle, buckets);
      await fill(spill);
      return await spill.finish();
    } finally {
      await handle.close();
    }
  }

  /** Adds a record, which is copied; answers what has to be awaited before the next one, if anything. */
  add(bucket: number, record: Buffer): Promise<void> | undefined {
    const block = this.filling.get(bucket);
    if (block && block.end + record.length <= block.bytes.length) {
      block.end += record.copy(block.bytes, block.end);
      return undefined;
    }
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.blockSize, record.length));
    this.filling.set(bucket, { bytes, end: record.copy(bytes) });
    return block && this.append(bucket, block.bytes.subarray(0, block.end));
  }

  /** Writes what is left, and answers the blocks of each bucket, in the order in which records were added to it. */
  private async finish(): Promise<ReadonlyMap<number, readonly Block[]>> {
    for (const [bucket, { bytes, end }] of this.filling) await this.append(bucket, bytes.subarray(0, end));
    return this.written;
  }

  private async append(bucket: number, bytes: Buffer): Promise<void> {
    const { file, end: from } = this;
    // TRICKY: on a disk that is almost full the first call writes a part, and the next one says so
    for (let at = 0; at < bytes.length;)
      at += (await this.handle.write(bytes, at, bytes.length - at, from + at)).bytesWritten;
    const blocks = this.written.get(bucket) ?? [];
    this.written.set(bucket, blocks);
    blocks.push({ file, from, size: bytes.length });
    this.end += bytes.length;
  }
}

/** The blocks of a bucket, one after another. */
export async function* readBlocks(blocks: readonly Block[]): AsyncIterable<Buffer> {
  const handles = new Map<string, FileHandle>();
  try {
    for (const { file, from, size } of blocks) {
      const handle = handles.get(file) ?? (await open(file));
      handles.set(file, handle);
      const bytes = Buffer.allocUnsafe(size);
      const { bytesRead } = await handle.read(bytes, 0, size, from);
      if (bytesRead < size) throw new Error(`The file ${file} was cut.`);
      yield bytes;
    }
  } finally {
    for (const handle of handles.values()) await handle.close();
  }
}

/** The owner of a hit: 32 hex digits each, null = none; and the time zone of the website. */
type Whose = Pick<WebsiteHitEvent['data'], 'visitorId' | 'sessionId' | 'zone'>;

/** 32 bits of what names whose hit it is: a visitor, or one session or event without a visitor. */
const actorHashOf = ({ arrival: { hit } }: ReadHit, { visitorId, sessionId }: Whose): number =>
  Number.parseInt((visitorId ?? sessionId ?? singleEventId(hit)).slice(0, 8), 16);

/** Bits of the first byte. */
const HAS = { visitor: 1, session: 2, attributes: 4, columns: 8 } as const;

/** Bytes that a record takes at most without its texts. */
const MOST_BYTES_OF_NUMBERS = 160 + 4 * Math.max(...HIT_WIDTHS);

/** Where a record goes on behind its size and the hash of its actor. */
const BODY = 8;

/** Writes hits as records, which {@link readRecord} reads. */
export class RecordWriter {
  private bytes = Buffer.allocUnsafe(4 * 1024);

  /** Answers the record, in memory that the next one uses again. */
  record(hit: ReadHit, whose: Whose): Buffer {
    const columns = hit.columns === undefined ? '' : JSON.stringify(hit.columns);
    this.reserve(MOST_BYTES_OF_NUMBERS + 3 * (whose.zone.length + columns.length));
    const end = this.write(hit, whose, columns);
    this.bytes.writeUInt32LE(end, 0);
    this.bytes.writeUInt32LE(actorHashOf(hit, whose), 4);
    return this.bytes.subarray(0, end);
  }

  private write({ website, arrival }: ReadHit, { visitorId, sessionId, zone }: Whose, columns: string): number {
    const { bytes } = this;
    const { hit, attributes } = arrival;
    let at = bytes.writeUInt8(flagsOf(visitorId, sessionId, attributes, columns), BODY);
    at = bytes.writeInt32LE(website, at);
    for (const id of [hit.id, visitorId, sessionId]) if (id !== null) at += bytes.write(id, at, 16, 'hex');
    at = bytes.writeDoubleLE(hit.at, at);
    at = bytes.writeUInt8(hit.kind, at);
    at = bytes.writeInt32LE(hit.hostname, bytes.writeInt32LE(hit.path, at));
    for (let nth = 0, width = widthOfHit(hit.kind); nth < width; nth++) at = bytes.writeInt32LE(hitValue(hit, nth), at);
    if (attributes) for (const name of SESSION_ATTRIBUTES) at = bytes.writeInt32LE(attributes[name], at);
    at = bytes.writeUInt16LE(Buffer.byteLength(zone), at);
    at += bytes.write(zone, at);
    return columns === '' ? at : at + bytes.write(columns, at);
  }

  private reserve(room: number): void {
    if (room > this.bytes.length) this.bytes = Buffer.allocUnsafe(room);
  }
}

const flagsOf = (visitor: string | null, session: string | null, attributes: unknown, columns: string): number =>
  (visitor === null ? 0 : HAS.visitor) |
  (session === null ? 0 : HAS.session) |
  (attributes === undefined ? 0 : HAS.attributes) |
  (columns === '' ? 0 : HAS.columns);

/** Bytes of the record that begins there. */
const sizeOfRecord = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at);

/** The record that begins there. */
export const recordAt = (bytes: Buffer, at: number): Buffer => bytes.subarray(at, at + sizeOfRecord(bytes, at));

/** Returns the hash of the record that begins there: the same for all hits of a visitor. */
export const hashOfRecord = (bytes: Buffer, at: number): number => bytes.readUInt32LE(at + 4);

/** Where each record begins. */
export function* recordsIn(bytes: Buffer): Iterable<number> {
  for (let at = 0; at < bytes.length; at += sizeOfRecord(bytes, at)) yield at;
}

export function readRecord(bytes: Buffer, from: number): readonly [ReadHit, Whose] {
  const end = from + sizeOfRecord(bytes, from);
  const flags = bytes.readUInt8(from + BODY);
  const website = bytes.readInt32LE(from + BODY + 1);
  let at = from + BODY + 5;
  const id = () => bytes.toString('hex', at, (at += 16));
  const hitId = id();
  const visitorId = flags & HAS.visitor ? id() : null;
  const sessionId = flags & HAS.session ? id() : null;
  const kind = bytes.readUInt8(at + 8);
  const values: number[] = [];
  const hit = {
    at: bytes.readDoubleLE(at),
    id: hitId,
    kind,
    path: bytes.readInt32LE(at + 9),
    hostname: bytes.readInt32LE(at + 13),
    values,
    from: 0,
  };
  at += 17;
  for (let left = widthOfHit(kind); left > 0; left--, at += 4) values.push(bytes.readInt32LE(at));
  const attributes = flags & HAS.attributes ? readAttributes(bytes, at) : undefined;
  if (attributes) at += 4 * SESSION_ATTRIBUTES.length;
  const texts = at + 2 + bytes.readUInt16LE(at);
  const zone = bytes.toString('utf8', at + 2, texts);
  const columns = flags & HAS.columns ? (JSON.parse(bytes.toString('utf8', texts, end)) as FactColumns) : undefined;
  const arrival = { hit, session: sessionId, attributes };
  return [
    { website, arrival, columns },
    { visitorId, sessionId, zone },
  ];
}

/** Added in the order of SESSION_ATTRIBUTES, so that these objects are of one shape. */
function readAttributes(bytes: Buffer, from: number): SessionAttributes {
  const attributes: Partial<Record<SessionAttribute, number>> = {};
  for (const [nth, name] of SESSION_ATTRIBUTES.entries()) attributes[name] = bytes.readInt32LE(from + 4 * nth);
  return attributes as SessionAttributes; // every one of them was read
}
