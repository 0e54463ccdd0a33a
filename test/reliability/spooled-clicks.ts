import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ignoreMissing, parseBatch } from '../../apps/tracker/src/click-spool/spool-file';
import { untilAnswer } from '../journeys/product';

/** How many clicks the trackers of a data directory have on disk. */
export async function clicksOnDisk(dataDir: string): Promise<number> {
  const folder = join(dataDir, 'spool');
  const files = (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8').catch(ignoreMissing));
  const lines = (await Promise.all(files)).flatMap((content) => (content ?? '').trim().split('\n'));
  return lines.reduce((sum, line) => sum + (parseBatch(line)?.clicks.length ?? 0), 0);
}

/** Waits until every click on disk is in the log. */
export async function untilSpoolIsEmpty(dataDir: string): Promise<void> {
  await untilAnswer(
    () => clicksOnDisk(dataDir),
    (count) => count === 0,
  );
}
