import { mkdtempSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spyOnWrites } from '@test/files/spy-on-writes';
import { readBlocks, SpillFile } from './spill';

describe('a file of spilled records', () => {
  it('is whole where the system writes only a part at once', async () => {
    const { spy, write } = await spyOnWrites();
    spy.mockImplementation(function (this: FileHandle, bytes, offset, length, position) {
      return write.call(this, bytes, offset, Math.ceil(length / 2), position);
    });
    const records = Array.from({ length: 3_000 }, (_, n) => Buffer.from(`record ${n}`.padEnd(n % 50)));
    const blocks = await SpillFile.write(join(folder, 'records'), 2, async (into) => {
      for (const [n, record] of records.entries()) await into.add(n % 2, record);
    });
    spy.mockRestore();
    for (const bucket of [0, 1]) {
      const read: Buffer[] = [];
      for await (const bytes of readBlocks(blocks.get(bucket) ?? [])) read.push(bytes);
      const added = records.filter((_, n) => n % 2 === bucket);
      expect(Buffer.concat(read).equals(Buffer.concat(added))).toBe(true);
    }
  });
});

let folder: string;
beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'ledgerline-spill-'))));
afterAll(() => rmSync(folder, { recursive: true }));
