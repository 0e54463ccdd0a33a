import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import type { IntakeLog } from '@ledgerline/platform/intake-log/intake-log';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { openLiveVersion } from '../../apps/projector/src/runner/live-version';
import { openProjectionPool } from '../../apps/projector/src/open-pool';

/** Makes versions with the tables of this program live, as its projector does when it starts. */
export async function openOwnVersions(databaseUrl: string, intakeLog: IntakeLog): Promise<void> {
  const eventStore = await openEventStore({ databaseUrl });
  const pool = openProjectionPool(databaseUrl);
  try {
    for (const group of boundGroups({ eventStore, intakeLog, pool })) await openLiveVersion(pool, group, group.log);
  } finally {
    await Promise.all([eventStore.close(), pool.end()]);
  }
}
