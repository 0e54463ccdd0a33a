import { gzipSync } from 'node:zlib';
import { unpack } from './unpack';

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
