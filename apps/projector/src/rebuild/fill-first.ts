import type { Pool } from 'pg';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { offsetOf } from '@ledgerline/platform/intake-log/intake-log';
import { BEGINNING, LogUnavailable } from '@ledgerline/platform/log/log-reader';
import { pause } from '@ledgerline/platform/log/timing';
import type { BoundGroup } from '../runner/bound-group';
import type { GroupWork } from '../runner/group-work';
import { withoutPrevious } from '../versions/change-layout';
import { dropVersions } from '../versions/version-tables';
import { NotRebuilt, readLive, RebuiltElsewhere } from './catch-up';
import { rebuild } from './rebuild';

/** Events of which a switch of tables costs more than it saves. */
const FEW = 100_000;
const AGAIN_MS = 1_000;

/** Puts the erasures that there are in force in a read store. */
type Erasing = (readStore: Pool) => Promise<void>;

/**
 * Before the websites of a read store are projected that has nothing of a long log, as after a restore: fills a version
 * in bulk beside the empty one, which answers meanwhile, and switches to it. What cannot be filled so is projected batch
 * by batch.
 */
export const fillFirst =
  (erasing: Erasing, few = FEW) =>
  async ({ group, logger, signal }: GroupWork): Promise<void> => {
    if (group.name !== 'websites') return;
    const isOver = () => signal.aborted;
    let isRefused = false;
    while (!isOver()) {
      try {
        if (isRefused) await dropVersions(group, (layout) => layout);
        else if ((await eventsMissing(group)) > few) await fill(erasing, { group, logger, signal });
        return;
      } catch (error) {
        if (isOver()) return;
        const passes = error instanceof RebuiltElsewhere || error instanceof LogUnavailable || isUnavailable(error);
        if (!passes) {
          logger.error({ err: error }, 'empty tables cannot be filled in bulk; they are filled batch by batch');
          if (isRefused) return;
          isRefused = true;
        }
        group.invalidateCaches();
        await pause(AGAIN_MS, signal);
      }
    }
  };

async function fill(erasing: Erasing, { group, logger, signal }: GroupWork): Promise<void> {
  const began = performance.now();
  await erasing(group.pool); // who is erased is not filled
  const { version, flipped } = await rebuild({ group, flip: true, signal });
  if (!flipped) throw new NotRebuilt('Another projector has begun to fill the tables.');
  await dropVersions(group, (layout) => withoutPrevious(layout, group.builds)); // the empty ones
  logger.info({ version, ms: Math.round(performance.now() - began) }, 'empty tables were filled in bulk');
}

/** Events of the log that live tables do not have, which have none. */
async function eventsMissing(group: BoundGroup): Promise<number> {
  const { cursors } = await readLive(group.pool, group);
  if ([...cursors.values()].some((cursor) => cursor !== BEGINNING)) return 0;
  const heads = await Promise.all([...cursors.keys()].map((partition) => group.log.head(partition)));
  return heads.reduce((sum, head) => sum + offsetOf(head) + 1, 0);
}
