import type { Clicks } from './clicks';
import type { SpoolFile } from './spool-file';

/** Clicks in one call, unless one batch has more. */
const MOST_SENT = 4_000;
/** Clicks that may wait in memory for the log, but for the batch that exceeds it. */
const MOST_KEPT = 20_000;

/** A batch on its way to the log; without a file it could not be written to disk. */
export interface Kept {
  readonly batch: Clicks;
  readonly file: SpoolFile | undefined;
}

/** Batches that wait in memory to be sent. */
export class KeptClicks {
  private kept: Kept[] = [];
  private clicks = 0;

  get isEmpty(): boolean {
    return this.kept.length === 0;
  }

  get isFull(): boolean {
    return this.clicks > MOST_KEPT;
  }

  add(one: Kept): void {
    this.kept.push(one);
    this.clicks += one.batch.clicks.length;
  }

  /** The oldest, for one call. */
  take(): readonly Kept[] {
    let clicks = 0;
    let batches = 0;
    for (const { batch } of this.kept) {
      if (clicks >= MOST_SENT) break;
      clicks += batch.clicks.length;
      batches++;
    }
    this.clicks -= clicks;
    return this.kept.splice(0, batches);
  }
}

/** The ids of the batches that are in each file. */
export function byFile(some: readonly Kept[]): ReadonlyMap<SpoolFile, readonly string[]> {
  const files = new Map<SpoolFile, string[]>();
  for (const { batch, file } of some) {
    if (file === undefined) continue;
    const ids = files.get(file);
    if (ids === undefined) files.set(file, [batch.batch]);
    else ids.push(batch.batch);
  }
  return files;
}
