import { join } from 'node:path';
import { untilAnswer } from '../journeys/product';
import { clicksOnDisk as namesOnDisk } from '../tracker/clicks.fixture';

/** Returns the number of clicks the trackers of a data directory have on disk. */
export const clicksOnDisk = async (dataDir: string): Promise<number> =>
  (await namesOnDisk(join(dataDir, 'spool'))).length;

/** Waits until every click on disk is in the log. */
export async function untilSpoolIsEmpty(dataDir: string): Promise<void> {
  await untilAnswer(
    () => clicksOnDisk(dataDir),
    (count) => count === 0,
  );
}
