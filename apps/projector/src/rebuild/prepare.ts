import { setTimeout } from 'node:timers/promises';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { pause } from '@ledgerline/platform/log/timing';
import { filledVersion, markFilled } from '@ledgerline/platform/table-versions/filled-versions';
import { readLayout } from '@ledgerline/platform/table-versions/live-tables';
import type { BoundGroup } from '../runner/bound-group';
import type { GroupWork } from '../runner/group-work';
import { withVersionsLock } from '../versions/change-layout';
import { versionToFill, liveVersion } from '../versions/live-version';
import { changedTables, downtimeSentence, downtimesOf } from '../versions/upgrade';
import { catchUp, NotRebuilt, type OnProgress, readLive, RebuiltElsewhere } from './catch-up';
import { describeDifferences } from './compare-versions';
import { fillInBulk } from './fill-in-bulk';
import { withRebuildLock, assertNothingParked, compareFilled, finishFilling, switchTo } from './rebuild';

interface Preparation {
  readonly group: BoundGroup;
  /** True if it is done although rows differ from those that answer. */
  readonly accept: boolean;
  readonly onProgress?: OnProgress;
  /** Events per transaction. */
  readonly batch?: number;
  readonly signal: AbortSignal;
}

/**
 * Fills a version with all tables of a group as this build declares them, beside the build that serves, and compares it;
 * it answers when this build starts. One that was interrupted goes on; reading in bulk begins again.
 * @throws NotRebuilt where rows differ, or events are parked
 */
export const prepare = ({ group, accept, onProgress, signal, batch }: Preparation): Promise<number> =>
  withRebuildLock(group, async () => {
    await assertNothingParked(group, await liveVersion(group.pool, group));
    const version = await withVersionsLock(group.pool, (client) =>
      versionToFill(client, group, group.log, group.builds, () => true),
    );
    const filling = { group, version, models: group.builds, signal, onProgress, batch };
    if ((await filledVersion(group.pool, group)) !== version) {
      group.dictionary?.noteChanged({ mends: false });
      const live = await readLive(group.pool, group);
      if (group.name === 'websites') await fillInBulk({ ...filling, live, mends: false });
      await catchUp(filling);
      await assertNothingParked(group, version);
      await finishFilling(filling);
      const differences = await compareFilled(filling);
      if (!accept && differences.length > 0)
        throw new NotRebuilt(
          `What ${group.name} would answer differs from what it answers; the log is right (--accept), or a table was damaged:\n${describeDifferences(differences)}`,
        );
      await markFilled(group.pool, group, version);
    }
    await catchUp(filling);
    return version;
  });

const isAborted = ({ aborted }: AbortSignal): boolean => aborted;

const CURRENT_EVERY_MS = 500;

/** Keeps a prepared version current until this build answers from it (true), it is dropped (false), or the signal. */
export async function keepPrepared(group: BoundGroup, version: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await readLayout(group.pool, group.name))?.version === version) return true;
    if ((await filledVersion(group.pool, group)) !== version) return false;
    const failed = await catchUp({ group, version, signal }).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    const isDropped = (await filledVersion(group.pool, group)) !== version; // an erasure drops what was prepared
    if (failed && !isDropped && !isAborted(signal)) throw failed.error;
    await pause(CURRENT_EVERY_MS, signal);
  }
  return true;
}

const BUSY_MS = 200;

/**
 * Before a group starts: switches to its tables that are filled. @throws StartFailure where those that it needs are not,
 * unless that is accepted, or there is nothing to be filled from
 */
export const takeOver =
  (groups: readonly BoundGroup[], acceptDowntime: boolean) =>
  async ({ group, logger, signal }: GroupWork): Promise<void> => {
    if ((await changedTables(group)).length === 0) return;
    const version = await filledVersion(group.pool, group);
    if (version === undefined) {
      const isEmpty = (await readLive(group.pool, group)).events === 0;
      if (!isEmpty && !acceptDowntime) throw new StartFailure(downtimeSentence(await downtimesOf(groups)));
      return;
    }
    const began = performance.now();
    while (!signal.aborted) {
      try {
        await withRebuildLock(group, () => switchTo({ group, version, models: group.builds, signal }));
        logger.info(
          { version, ms: Math.round(performance.now() - began) },
          'switched to the tables that were prepared',
        );
        return;
      } catch (error) {
        if (!(error instanceof RebuiltElsewhere)) throw error;
      }
      await setTimeout(BUSY_MS);
    }
  };
