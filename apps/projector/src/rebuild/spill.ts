import { open, type FileHandle } from 'node:fs/promises';

/** Where some records of one bucket are. */
export interface Block {
  readonly file: string;
  readonly from: number;
  readonly size: number;
}

/** Bytes of all blocks that are being filled. */
const FILLING = 24 * 1024 * 1024;
const [LEAST_BLOCK, LARGEST_BLOCK] = [4 * 1024, 64 * 1024];

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
    await this.handle.write(bytes, 0, bytes.length, from);
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
