import { createReadStream, fstatSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { type Duplex, pipeline, Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { types } from 'node:util';
import zlib from 'node:zlib';
import { Decompress } from 'fzstd';
import { glob, isDynamicPattern } from 'tinyglobby';
import unbzip2 from 'unbzip2-stream';
import { StartFailure, systemErrorCode } from '@ledgerline/platform/config/start-failure';

/** A file to be imported, or what is piped in. */
export interface ImportSource {
  /** As in messages. */
  readonly name: string;
  /** undefined = unknown, as that of a pipe. */
  readonly bytes: number | undefined;
  readonly open: () => Readable;
}

const STDIN = '-';

/**
 * The sources that arguments name: files, patterns such as `logs/*.gz`, and `-`. An absent one of several is reported to
 * `warn`, as it may just have been rotated away.
 * @throws StartFailure for folders, and where there is nothing to import at all
 */
export async function findSources(
  names: readonly string[],
  stdin: Readable & { readonly fd?: number },
  warn: (text: string) => void,
): Promise<readonly ImportSource[]> {
  const found = new Map<string, ImportSource>();
  const absent: string[] = [];
  for (const name of names) {
    const sources = name === STDIN ? [stdinSource(stdin)] : await filesOf(name);
    if (sources.length === 0)
      absent.push(isDynamicPattern(name) ? `No file matches ${name}.` : `There is no file ${name}.`);
    for (const source of sources) found.set(source.name, source);
  }
  if (found.size === 0) throw new StartFailure(absent.join('\n'));
  absent.forEach(warn);
  return [...found.values()];
}

async function filesOf(name: string): Promise<readonly ImportSource[]> {
  const file = await statOf(name);
  if (file?.isDirectory()) throw new StartFailure(`${name} is a folder; name the files in it.`);
  if (file) return [fileSource(name, file)];
  const paths = isDynamicPattern(name)
    ? await glob(name, { absolute: isAbsolute(name), expandDirectories: false })
    : [];
  const sorted = paths.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  return Promise.all(sorted.map(async (path) => fileSource(path, await statOf(path))));
}

const fileSource = (path: string, file: Stats | undefined): ImportSource => ({
  name: path,
  bytes: file?.isFile() ? file.size : undefined,
  open: () => createReadStream(path, { highWaterMark: 256 * 1024 }),
});

const stdinSource = (stdin: Readable & { readonly fd?: number }): ImportSource => {
  const file = stdin.fd === undefined ? undefined : fstatSync(stdin.fd);
  return { name: 'stdin', bytes: file?.isFile() ? file.size : undefined, open: () => stdin };
};

const statOf = (path: string): Promise<Stats | undefined> => stat(path).catch(() => undefined);

/** No line of an access log is longer, in UTF-16 units. */
const MAX_LINE = 64 * 1024;
/** Handed on in the place of one that is: it does not parse, and is the same however the file is packed. */
const TOO_LONG = 'a line that is too long';
const BYTE_ORDER_MARK = /^\uFEFF/;

export interface SourceReadOptions {
  /** Called with the bytes read, as they are in the file. */
  readonly onBytes: (bytes: number) => void;
  /** When aborted, the lines end after the last whole one. */
  readonly signal: AbortSignal;
}

/** The source is not there any more. */
export class SourceGone extends StartFailure {}

/**
 * The lines of a source in portions, unpacked where it is packed, in constant memory.
 * @throws StartFailure where it cannot be read or unpacked to its end · SourceGone
 */
export async function* linesOf(source: ImportSource, reading: SourceReadOptions): AsyncGenerator<readonly string[]> {
  let rest = '';
  let isFirst = true;
  for await (const text of textOf(source, reading)) {
    const lines = (rest + (isFirst ? text.replace(BYTE_ORDER_MARK, '') : text)).split('\n');
    isFirst &&= text === '';
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 1);
    yield lines.map(boundedLine);
  }
  if (rest !== '' && !reading.signal.aborted) yield [boundedLine(rest)];
}

/** A line, unless it is longer than any of an access log. */
export const boundedLine = (line: string): string => (line.length > MAX_LINE ? TOO_LONG : line);

async function* textOf(source: ImportSource, reading: SourceReadOptions): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  try {
    for await (const bytes of unpack(bytesOf(source, reading))) yield decoder.write(bytes);
    yield decoder.end();
  } catch (error) {
    if (reading.signal.aborted) return;
    if (error instanceof StartFailure || !types.isNativeError(error)) throw error;
    const sentence = `${source.name} is damaged (${error.message}): what comes before may be imported`;
    throw new StartFailure(`${sentence}, and a whole copy will add only the rest.`, { cause: error });
  }
}

async function* bytesOf(source: ImportSource, { onBytes, signal }: SourceReadOptions): AsyncGenerator<Buffer> {
  const stream = source.open();
  const chunks: AsyncIterable<Buffer> = stream;
  const stop = () => stream.destroy(new Error('interrupted'));
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const bytes of chunks) {
      onBytes(bytes.length);
      yield bytes;
    }
  } catch (cause) {
    if (systemErrorCode(cause) === 'ENOENT') throw new SourceGone(`${source.name} is not there any more.`, { cause });
    throw new StartFailure(
      `${source.name} cannot be read (${cause instanceof Error ? cause.message : String(cause)}).`,
      { cause },
    );
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

type Chunks = AsyncIterable<Buffer, undefined>;

interface Packing {
  /** The first bytes of every file that is packed so, as Latin-1. */
  readonly magic: RegExp;
  readonly unpack: (packed: Chunks) => Chunks;
}

const PACKINGS: readonly Packing[] = [
  { magic: /^\x1f\x8b/, unpack: (packed) => through(packed, zlib.createGunzip()) },
  { magic: /^BZh[1-9]/, unpack: unpackBzip2 },
  { magic: /^\x28\xb5\x2f\xfd/, unpack: unpackZstandard },
];
const MAGIC_BYTES = 4;

/** The bytes, unpacked where their beginning says that they are packed with gzip, bzip2 or Zstandard. */
export async function* unpack(bytes: Chunks): Chunks {
  const rest = bytes[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < MAGIC_BYTES) {
    const next = await rest.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const beginning = head.toString('latin1', 0, MAGIC_BYTES);
  const packing = PACKINGS.find(({ magic }) => magic.test(beginning));
  const whole = joined(head, { [Symbol.asyncIterator]: () => rest });
  yield* packing?.unpack(whole) ?? whole;
}

async function* joined(head: Buffer, rest: Chunks): Chunks {
  if (head.length > 0) yield head;
  yield* rest;
}

/** An error of the input is an error of the output. */
function through(packed: Chunks, transform: Duplex): Chunks {
  pipeline(Readable.from(packed), transform, () => undefined);
  return transform;
}

async function* unpackBzip2(packed: Chunks): Chunks {
  const ready: Buffer[] = [];
  const failures: unknown[] = [];
  const stream = unbzip2() // of the old kind: it calls back before write and end return
    .on('data', (some: Buffer) => ready.push(some))
    .on('error', (error: unknown) => failures.push(error));
  for await (const some of packed) {
    stream.write(some);
    yield* ready.splice(0);
    if (failures.length > 0) break;
  }
  stream.end();
  yield* ready.splice(0);
  if (failures.length > 0) throw new Error('its bzip2 data is wrong or cut off', { cause: failures[0] });
}

function unpackZstandard(packed: Chunks): Chunks {
  const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Duplex }; // absent before Node 22.15
  return createZstdDecompress ? through(packed, createZstdDecompress()) : unpackZstandardSlowly(packed);
}

async function* unpackZstandardSlowly(packed: Chunks): Chunks {
  const ready: Buffer[] = [];
  const stream = new Decompress((some) => ready.push(Buffer.from(some)));
  const push = (some: Uint8Array, isLast = false) => {
    try {
      stream.push(some, isLast);
    } catch (cause) {
      throw new Error('its Zstandard data is wrong or cut off', { cause });
    }
  };
  for await (const some of packed) {
    push(some);
    yield* ready.splice(0);
  }
  push(new Uint8Array(0), true);
  yield* ready.splice(0);
}
