import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** The bytes of a body before one of its encodings is undone, as one may hold nothing without an end. */
const MAX_ENCODED_BYTES = 2 * 1024 * 1024;
const MAX_ENCODINGS = 3;

/** A body that cannot be read; its message is a sentence for people. */
export class BodyUnreadable extends Error {}

/** The beginning of a body. */
export async function* limited(bytes: AsyncIterable<Buffer>, max: number): AsyncIterable<Buffer> {
  let read = 0;
  for await (const chunk of bytes) {
    yield chunk.subarray(0, max - read);
    read += chunk.length;
    if (read >= max) return;
  }
}

/** A body without its encodings (`Content-Encoding`), the one that was applied last first. @throws BodyUnreadable */
export async function* withoutEncodings(body: AsyncIterable<Buffer>, encodings = ''): AsyncIterable<Buffer> {
  const names = encodings.toLowerCase().split(',');
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  let bytes = body;
  if (applied.length > MAX_ENCODINGS) throw new BodyUnreadable(`The body is encoded more than ${MAX_ENCODINGS} times.`);
  for (const name of applied.reverse()) bytes = decompressed(limited(bytes, MAX_ENCODED_BYTES), name);
  try {
    yield* bytes;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && ZLIB_ERROR.test(String(error.code)))) throw error;
    throw new BodyUnreadable(`The body is not encoded as it says (${applied.join(', ')}).`, { cause: error });
  }
}

const ZLIB_ERROR = /^(Z_|ERR__|ERR_BROTLI|ERR_ZSTD|ZSTD_)/;

const GZIP = { finishFlush: zlib.constants.Z_SYNC_FLUSH }; // browsers take a body that is cut off, too
const BROTLI = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH };

/** The decompressor of each encoding; `deflate` is sent with and without its frame, which its first byte shows. */
const DECOMPRESSORS: Readonly<Record<string, (first: number) => Transform>> = {
  gzip: () => zlib.createGunzip(GZIP),
  'x-gzip': () => zlib.createGunzip(GZIP),
  deflate: (first) => ((first & 0x0f) === 8 ? zlib.createInflate(GZIP) : zlib.createInflateRaw(GZIP)),
  br: () => zlib.createBrotliDecompress(BROTLI),
  // as of Node 22.15, of which the types are not those of this project
  ...('createZstdDecompress' in zlib ? { zstd: zlib.createZstdDecompress as () => Transform } : {}),
};

export const ACCEPTED_ENCODINGS = Object.keys(DECOMPRESSORS)
  .filter((name) => name !== 'x-gzip')
  .join(', ');

async function* decompressed(bytes: AsyncIterable<Buffer>, name: string): AsyncIterable<Buffer> {
  const decompressor = Object.hasOwn(DECOMPRESSORS, name) ? DECOMPRESSORS[name] : undefined;
  if (!decompressor) throw new BodyUnreadable(`The body is encoded as ${name.slice(0, 20)}, which cannot be read.`);
  const rest = bytes[Symbol.asyncIterator]();
  const begun = await rest.next();
  if (begun.done) return;
  const first = begun.value;
  async function* whole(): AsyncIterable<Buffer> {
    yield first;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  const transform = decompressor(first[0] ?? 0);
  pipeline(Readable.from(whole()), transform, () => undefined); // an error is thrown by what reads the transform
  const unpacked: AsyncIterable<Buffer> = transform;
  yield* unpacked;
}
