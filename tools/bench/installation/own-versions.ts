import type { Pool } from 'pg';
import { schemaOf } from '@ledgerline/contracts/read-models/registry';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { openProjectionPool } from '../../../apps/projector/src/open-pool';
import { readLive, type OnProgress } from '../../../apps/projector/src/rebuild/catch-up';
import { fillInBulk } from '../../../apps/projector/src/rebuild/fill-in-bulk';
import { finishFilling } from '../../../apps/projector/src/rebuild/rebuild';
import { boundGroups, type BoundGroup } from '../../../apps/projector/src/runner/bound-group';
import { packEveryDay } from '../../../apps/projector/src/sealing/pack-parts';
import { hasSealedDays } from '../../../apps/projector/src/sealing/seal-days';
import { openLiveVersion } from '../../../apps/projector/src/versions/live-version';

/** Makes versions with the tables of this program live, and fills those of websites in bulk where they are empty. */
export const fillOwnVersions = (databaseUrl: string, intakeLog: IntakeLog, onProgress: OnProgress): Promise<void> =>
  withGroups(databaseUrl, intakeLog, async (pool, groups) => {
    for (const group of groups) {
      const version = await openLiveVersion(pool, group, group.log);
      const live = await readLive(pool, group);
      if (group.name !== 'websites' || live.events > 0) continue;
      const filling = { group, version, models: group.builds, onProgress };
      await fillInBulk({ ...filling, live, mends: false });
      await finishFilling(filling);
    }
  });

/** Packs all days at once, as a projector does some minutes later. */
export const packOwnDays = (databaseUrl: string, intakeLog: IntakeLog): Promise<void> =>
  withGroups(databaseUrl, intakeLog, async (pool, groups) => {
    for (const group of groups.filter(hasSealedDays))
      await packEveryDay(pool, schemaOf(group.name, await openLiveVersion(pool, group, group.log)));
  });

async function withGroups<T>(
  databaseUrl: string,
  intakeLog: IntakeLog,
  work: (pool: Pool, groups: readonly BoundGroup[]) => Promise<T>,
): Promise<T> {
  const eventStore = await openEventStore({ databaseUrl });
  const pool = openProjectionPool(databaseUrl);
  try {
    return await work(pool, boundGroups({ eventStore, intakeLog, pool }));
  } finally {
    await Promise.all([eventStore.close(), pool.end()]);
  }
}
