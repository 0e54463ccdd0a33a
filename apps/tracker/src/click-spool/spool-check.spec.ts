import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from '@test/reliability/faults/small-disk';
import { checkSpool } from './spool-check';

describe('the check of the spool', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ledgerline-spool-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const checkOf = (state: { readonly failing?: string; readonly isLosing?: boolean } = {}) =>
    checkSpool({ state: () => ({ room: 1_000, isLosing: false, ...state }) }, folder).check();

  it('succeeds while clicks have room', () => checkOf());

  it('fails while the disk takes none', () =>
    expect(checkOf({ failing: 'EIO' })).rejects.toThrow('The disk takes no clicks (EIO).'));

  it('fails while clicks cannot be recorded', () =>
    expect(checkOf({ isLosing: true })).rejects.toThrow('The intake log takes no clicks'));

  it('fails while its disk is full', async () => {
    const disk = SmallDisk.at(folder);
    if (!disk) return; // only root can mount one
    try {
      await checkOf();
      disk.fill();
      await expect(checkOf()).rejects.toThrow('Its disk has 0 KB left.');
      disk.empty();
      await checkOf();
    } finally {
      disk.unmount();
    }
  });
});
