import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { temporaryFolder } from '@test/processes/temporary-folder.hooks';
import { findSources, linesOf, type ImportSource, unpack } from './sources';

const folder = temporaryFolder('sources');
const warnings: string[] = [];
const found = async (...names: string[]) => {
  const sources = await findSources(names, Readable.from([]), (text) => warnings.push(text));
  return sources.map(({ name, bytes }) => [name.replace(`${folder}/`, ''), bytes]);
};

beforeAll(async () => {
  await mkdir(join(folder, 'old'));
  for (const name of ['access.log', 'access.log.2.gz', 'access.log.10.gz', 'old/access.log', 'with [brackets].log'])
    await writeFile(join(folder, name), 'x');
});
afterEach(() => warnings.splice(0));

describe('what is imported', () => {
  it('are files, each once', async () =>
    expect(await found(join(folder, 'access.log'), join(folder, 'access.log'))).toEqual([['access.log', 1]]));

  it('are the files that a pattern matches, by number', async () =>
    expect(await found(join(folder, 'access.log*'))).toEqual([
      ['access.log', 1],
      ['access.log.2.gz', 1],
      ['access.log.10.gz', 1],
    ]));

  it('are files in folders that a pattern matches', async () =>
    expect(await found(join(folder, '**/access.log'))).toEqual([
      ['access.log', 1],
      ['old/access.log', 1],
    ]));

  it('is a file whose name looks like a pattern', async () =>
    expect(await found(join(folder, 'with [brackets].log'))).toEqual([['with [brackets].log', 1]]));

  it('is what is piped in, of unknown size', async () => expect(await found('-', '-')).toEqual([['stdin', undefined]]));

  it('lacks a file that was rotated away, which is a warning beside others', async () => {
    expect(await found(join(folder, 'access.log'), join(folder, 'gone'), join(folder, '*.zst'))).toHaveLength(1);
    expect(warnings).toEqual([`There is no file ${folder}/gone.`, `No file matches ${folder}/*.zst.`]);
  });

  it.each([
    ['absent', 'There is no file absent.'],
    ['absent/*.gz', 'No file matches absent/*.gz.'],
    [folder, `${folder} is a folder; name the files in it.`],
  ])('is not %s', (name, reason) => expect(found(name)).rejects.toThrow(reason));
});

const MAX_LINE = 64 * 1024;

describe('the lines of an access log', () => {
  it('are the same packed or not, with no long one among them', async () => {
    const long = [MAX_LINE + 1, 100_000, 300_000, 600_000].map((length) => 'x'.repeat(length));
    const longest = 'y'.repeat(MAX_LINE);
    const text = Buffer.from([...long.flatMap((line) => ['a', line]), longest, 'b', ...long.slice(-1)].join('\n'));
    const left = long.flatMap(() => ['a', 'a line that is too long']);
    const expected = [...left, longest, 'b', 'a line that is too long'];
    expect(await all(sourceOf(text))).toEqual(expected);
    expect(await all(sourceOf(gzipSync(text)))).toEqual(expected);
  });

  it('begin after a byte-order mark, wherever the file is cut', async () => {
    const text = Buffer.from('\uFEFFfirst\nsecond');
    for (const size of [1, 2, 100]) expect(await all(sourceOf(text, size))).toEqual(['first', 'second']);
  });

  it('keep characters whole, wherever the file is cut', async () =>
    expect(await all(sourceOf(Buffer.from('/straße\n/日本語\n'), 1))).toEqual(['/straße', '/日本語']));

  it('end with the last whole one when they are interrupted, also while nothing arrives', async () => {
    const stream = new PassThrough();
    const stopping = new AbortController();
    const lines: string[] = [];
    stream.write('first\nsecond\nthi');
    for await (const some of linesOf({ ...sourceOf(Buffer.alloc(0)), open: () => stream }, reading(stopping.signal))) {
      lines.push(...some);
      setImmediate(() => stopping.abort());
    }
    expect(lines).toEqual(['first', 'second']);
    expect(stream.destroyed).toBe(true);
  });

  it('are counted in bytes of the file', async () => {
    let bytes = 0;
    const packed = gzipSync('a\nb\n');
    await all(sourceOf(packed), (count) => (bytes += count));
    expect(bytes).toBe(packed.length);
  });
});

function sourceOf(bytes: Buffer, size = 100_000): ImportSource {
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return { name: 'access.log', bytes: bytes.length, open: () => Readable.from(parts, { objectMode: false }) };
}

const reading = (signal = new AbortController().signal, onBytes: (bytes: number) => void = () => undefined) => ({
  onBytes,
  signal,
});

async function all(source: ImportSource, onBytes?: (bytes: number) => void): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(source, reading(undefined, onBytes))) lines.push(...some);
  return lines;
}

const TEXT = `192.0.2.1 - - [17/May/2015:10:00:00 +0200] "GET / HTTP/1.1" 200 123 "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/33.0"
192.0.2.1 - - [17/May/2015:10:00:01 +0200] "GET /a HTTP/1.1" 200 123 "-" "Mozilla/5.0 (X11; Linux x86_64) Chrome/33.0"
`;
/** As the programs bzip2 and zstd packed that text. */
const PACKED = {
  gzip: gzipSync(TEXT),
  bzip2: Buffer.from(
    'QlpoOTFBWSZTWYo50a4AAD5fgAAQUGv/+ArGREqiZ5JwMAC4DGmg0AMmgMjTQxNGGNNBoAZNAZGmhiaMCqplM00JMh6htIepp6Tamh5JFtckV1G2i1i2KVrLdwVtFaKx3DxQUWr25eSTS5NXRvYKuCuiB7WoIIQYKbkCovSc01T6cU2KxJJYqXPBse6Cl0fCLigmeiK1kwRLEWLJBzZJLW5PqzfjN2dVT9aINU2jV2b2ab/F3JFOFCQijnRrgA==',
    'base64',
  ),
  Zstandard: Buffer.from(
    'KLUv/STtlQMAQocYGFBZB6joPEyJtcYQIyMNtKXcX3T3qJpRTVkDkytBWM0Dw625UBzYkYwfxY+LznRXwbkaNus6rgSl+Unnidtnvp9d204UBd2ecp75i/nycF64F6P5WjKTLNLW6em73sr1Kh0EAKIHVEC+KQ9+NnB5GBCoXQ==',
    'base64',
  ),
};

describe.each(Object.entries(PACKED))('a file packed with %s', (_, packed) => {
  it('is unpacked, in whatever portions it arrives', async () => {
    for (const size of [1, 3, 64, 10_000]) expect(await unpacked(packed, size)).toBe(TEXT);
  });

  it('may be several, one after the other', async () =>
    expect(await unpacked(Buffer.concat([packed, packed]), 100)).toBe(TEXT + TEXT));

  it('fails when it is cut off', () =>
    expect(unpacked(packed.subarray(0, -20), 64)).rejects.toThrow(/unexpected end of file|is wrong or cut off/));

  it('fails with the error of what it is read from', () =>
    expect(textOf(unpack(failing(packed)))).rejects.toThrow('EIO'));
});

describe('a file that is not packed', () => {
  it.each(['', 'a', 'BZh', 'BZhello', TEXT])('is left as it is: %s', async (text) =>
    expect(await unpacked(Buffer.from(text), 2)).toBe(text),
  );
});

const unpacked = (bytes: Buffer, size: number) => textOf(unpack(portions(bytes, size)));

async function* portions(bytes: Buffer, size: number): AsyncGenerator<Buffer, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

async function* failing(bytes: Buffer): AsyncGenerator<Buffer, undefined> {
  yield await Promise.resolve(bytes.subarray(0, 20));
  throw new Error('EIO');
}

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}
