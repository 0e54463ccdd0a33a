import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { assertRoom, StoreFault, type StoreCheck } from '@ledgerline/platform/processes/store-checks';
import type { ClickSpool } from './click-spool';

/** Of the room that the spool may take. */
const NEARLY_FULL = 0.9;

/** Judges the spool of clicks by its room, the room on its disk, and by writing beside its files. */
export const checkSpool = (spool: Pick<ClickSpool, 'depth'>, folder: string, maxBytes: number): StoreCheck => ({
  store: 'click_spool',
  operation: 'write',
  check: async () => {
    await assertRoom(folder);
    const probe = join(folder, `probe-${process.pid}`);
    try {
      await writeFile(probe, new Uint8Array(4_096));
      await rm(probe);
    } catch (error) {
      const { code = 'an unknown error' } = error as NodeJS.ErrnoException;
      throw new StoreFault(`No file can be written in its folder (${code}).`, { cause: error });
    }
    const { bytes } = spool.depth();
    if (bytes > maxBytes * NEARLY_FULL)
      throw new StoreFault(
        `It is nearly full, with ${bytes} of ${maxBytes} bytes: the intake log does not take its clicks.`,
      );
  },
});
