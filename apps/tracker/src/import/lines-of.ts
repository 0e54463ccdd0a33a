import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { types } from 'node:util';
import { createGunzip } from 'node:zlib';
import { StartFailure } from '@ledgerline/platform/config/start-failure';

/** No line of an access log is longer, in UTF-16 units. */
const MAX_LINE = 64 * 1024;
/** Handed on in the place of one that is: it does not parse, and is the same however the file is packed. */
const TOO_LONG = 'a line that is too long';
const GZIP = 0x1f8b;

/**
 * The lines of a file in portions, unpacked where it is packed, in constant memory. `onBytes` is called with the bytes read.
 * @throws StartFailure where it cannot be unpacked to its end
 */
export async function* linesOf(file: string, onBytes: (bytes: number) => void): AsyncGenerator<readonly string[]> {
  const packed = await isGzip(file);
  const raw = createReadStream(file, { highWaterMark: 256 * 1024 });
  const bytes: Readable = packed ? unpacked(raw) : raw;
  let rest = '';
  let reported = 0;
  for await (const chunk of textOf(bytes, file)) {
    const lines = (rest + chunk).split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_LINE + 1);
    onBytes(raw.bytesRead - reported);
    reported = raw.bytesRead;
    yield lines.map(bounded);
  }
  if (rest !== '') yield [bounded(rest)];
}

const bounded = (line: string): string => (line.length > MAX_LINE ? TOO_LONG : line);

async function* textOf(bytes: Readable, file: string): AsyncGenerator<string> {
  try {
    yield* bytes.setEncoding('utf8') as AsyncIterable<string>;
  } catch (error) {
    if (!types.isNativeError(error) || !('code' in error) || !String(error.code).startsWith('Z_')) throw error;
    const sentence = `${file} is damaged (${error.message}): what comes before may be imported`;
    throw new StartFailure(`${sentence}, and a whole copy will add only the rest.`);
  }
}

function unpacked(raw: Readable): Readable {
  const gunzip = createGunzip();
  raw.on('error', (error) => gunzip.destroy(error));
  return raw.pipe(gunzip);
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer.readUInt16BE(0) === GZIP;
  } finally {
    await handle.close();
  }
}
