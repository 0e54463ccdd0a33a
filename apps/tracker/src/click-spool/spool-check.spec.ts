import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from '@test/reliability/faults/small-disk';
import { checkSpool } from './spool-check';

const MAX_BYTES = 1_000;

describe('the check of the spool', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const checkOf = (bytes: number, spool = folder) =>
    checkSpool({ depth: () => ({ files: 1, bytes }) }, spool, MAX_BYTES).check();

  it('succeeds while clicks can be written, and leaves nothing behind', async () => {
    await checkOf(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('fails where its folder is gone', () => expect(checkOf(0, join(folder, 'gone'))).rejects.toThrow('ENOENT'));

  it('fails before the spool is full', () =>
    expect(checkOf(950)).rejects.toThrow('It is nearly full, with 950 of 1000 bytes'));

  it('fails while its disk is full', async () => {
    const disk = SmallDisk.at(folder);
    if (!disk) return; // only root can mount one
    try {
      await checkOf(0);
      disk.fill();
      await expect(checkOf(0)).rejects.toThrow('Its disk has 0 KB left.');
      disk.empty();
      await checkOf(0);
    } finally {
      disk.unmount();
    }
  });
});
