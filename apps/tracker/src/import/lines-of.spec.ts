import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { linesOf } from './lines-of';
import type { Source } from './sources';

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

function sourceOf(bytes: Buffer, size = 100_000): Source {
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
    bytes.subarray(n * size, (n + 1) * size),
  );
  return { name: 'access.log', bytes: bytes.length, open: () => Readable.from(parts, { objectMode: false }) };
}

const reading = (signal = new AbortController().signal, onBytes: (bytes: number) => void = () => undefined) => ({
  onBytes,
  signal,
});

async function all(source: Source, onBytes?: (bytes: number) => void): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(source, reading(undefined, onBytes))) lines.push(...some);
  return lines;
}
