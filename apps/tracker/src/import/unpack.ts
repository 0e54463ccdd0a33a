import { Decompress } from 'fzstd';
import { pipeline, Readable, type Duplex } from 'node:stream';
import zlib from 'node:zlib';
import unbzip2 from 'unbzip2-stream';

type Chunks = AsyncIterable<Buffer, undefined>;

interface Format {
  /** The first bytes of every file in this format, as Latin-1. */
  readonly magic: RegExp;
  readonly unpack: (packed: Chunks) => Chunks;
}

const FORMATS: readonly Format[] = [
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
  const format = FORMATS.find(({ magic }) => magic.test(beginning));
  const whole = joined(head, { [Symbol.asyncIterator]: () => rest });
  yield* format?.unpack(whole) ?? whole;
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
