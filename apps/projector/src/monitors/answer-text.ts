import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';

/** Of a decoded body, in which a text is looked for. */
const MAX_BYTES = 1024 * 1024;
/** Of what is decoded for it, which may be larger, as an encoding may hold nothing without an end. */
const MAX_ENCODED_BYTES = 2 * MAX_BYTES;
const MAX_ENCODINGS = 3;
/** In which a page must name its characters. */
const HEAD_BYTES = 1024;

/** A body that cannot be read; its message is a sentence for people. */
export class BodyUnreadable extends Error {}

/** Which of two texts the first MiB of an answer holds, as browsers read it. @throws BodyUnreadable */
export async function findTexts(answer: IncomingMessage, { expected, unwanted }: Texts<string | null>) {
  const longest = Math.max(expected?.length ?? 0, unwanted?.length ?? 0);
  const found = { expected: false, unwanted: false };
  let end = '';
  for await (const text of texts(answer)) {
    const whole = end + text;
    found.expected ||= expected !== null && whole.includes(expected);
    found.unwanted ||= unwanted !== null && whole.includes(unwanted);
    if (found.unwanted || (found.expected && unwanted === null)) break;
    end = whole.slice(-longest);
  }
  return found;
}

interface Texts<Text> {
  readonly expected: Text;
  readonly unwanted: Text;
}

/** A body as text in pieces; the beginning comes again until it is certain how it is to be read. */
async function* texts(answer: IncomingMessage): AsyncIterable<string> {
  let head: Buffer | undefined = Buffer.alloc(0);
  let decoder = new TextDecoder();
  for await (const chunk of limited(decoded(answer), MAX_BYTES)) {
    if (!head) {
      yield decoder.decode(chunk, { stream: true });
      continue;
    }
    head = Buffer.concat([head, chunk]);
    decoder = new TextDecoder(charsetOf(answer.headers, head));
    yield decoder.decode(head, { stream: true });
    if (head.length >= HEAD_BYTES) head = undefined;
  }
}

async function* limited(bytes: AsyncIterable<Buffer>, max: number): AsyncIterable<Buffer> {
  let read = 0;
  for await (const chunk of bytes) {
    yield chunk.subarray(0, max - read);
    read += chunk.length;
    if (read >= max) return;
  }
}

/** Without the encodings of the body, the one that was applied last first. @throws BodyUnreadable */
async function* decoded(answer: IncomingMessage): AsyncIterable<Buffer> {
  const names = (answer.headers['content-encoding'] ?? '').toLowerCase().split(',');
  const applied = names.map((name) => name.trim()).filter((name) => name !== '' && name !== 'identity');
  let bytes: AsyncIterable<Buffer> = answer;
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

/** What undoes an encoding; `deflate` is sent with and without its frame, which its first byte shows. */
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
  yield* transform as AsyncIterable<Buffer>;
}

/** The charset that a body begins with, its answer names, or its page or document; UTF-8 if none does. */
function charsetOf({ 'content-type': type = '' }: IncomingHttpHeaders, head: Buffer): string {
  const mark = BYTE_ORDER_MARKS.find(([bytes]) => head.subarray(0, bytes.length).equals(bytes));
  if (mark) return mark[1];
  const markup = head.subarray(0, HEAD_BYTES).toString('latin1');
  const own = /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)|^<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(markup);
  const inMarkup = (own?.[1] ?? own?.[2])?.replace(/^utf-16.*/i, 'utf-8'); // it could not be read otherwise
  return knownCharset(/charset\s*=\s*["']?([^\s"';,]+)/i.exec(type)?.[1]) ?? knownCharset(inMarkup) ?? 'utf-8';
}

const BYTE_ORDER_MARKS = [
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
] as const;

function knownCharset(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined; // an unknown label
  }
}
