import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { linesOf } from './lines-of';

const MAX_LINE = 64 * 1024;

describe('the lines of an access log', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'ledgerline-lines-'))));
  afterEach(() => rm(folder, { recursive: true }));

  it('are the same packed or not, with no long one among them', async () => {
    const long = [MAX_LINE + 1, 100_000, 300_000, 600_000].map((length) => 'x'.repeat(length));
    const longest = 'y'.repeat(MAX_LINE);
    const text = Buffer.from([...long.flatMap((line) => ['a', line]), longest, 'b', ...long.slice(-1)].join('\n'));
    await writeFile(join(folder, 'plain'), text);
    await writeFile(join(folder, 'packed'), gzipSync(text));
    const left = long.flatMap(() => ['a', 'a line that is too long']);
    const expected = [...left, longest, 'b', 'a line that is too long'];
    expect(await all(join(folder, 'plain'))).toEqual(expected);
    expect(await all(join(folder, 'packed'))).toEqual(expected);
  });
});

async function all(file: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const some of linesOf(file, () => undefined)) lines.push(...some);
  return lines;
}
