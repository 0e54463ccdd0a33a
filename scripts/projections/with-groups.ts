import { types } from 'node:util';
import { isUnavailable } from '@ledgerline/platform/database/database-errors';
import { StartFailure } from '@ledgerline/platform/config/start-failure';
import { storesForTools } from '@ledgerline/platform/config/runtime-file';
import type { EventStore } from '@ledgerline/platform/event-store/event-store';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import type { Pool } from 'pg';
import { openProjectionPool, openStorePools } from '../../apps/projector/src/open-pool';
import { NotRebuilt } from '../../apps/projector/src/rebuild/catch-up';
import { boundGroups, type BoundGroup } from '../../apps/projector/src/runner/bound-group';
import { TablesOfAnotherProgram } from '../../apps/projector/src/runner/resolve-tables';

/** Runs work on the groups of an installation, in all its read stores. @throws StartFailure for what an operator can understand */
export async function withGroups(
  variables: NodeJS.ProcessEnv,
  work: (
    groups: readonly BoundGroup[],
    main: { readonly eventStore: EventStore; readonly pool: Pool },
  ) => Promise<void>,
): Promise<void> {
  const stores = storesForTools(variables);
  const { databaseUrl } = stores;
  const eventStore = await openEventStore(stores);
  const intakeLog = await openIntakeLog({ databaseUrl });
  const patience = { idleInTransactionTimeoutMs: 60_000 }; // no other projector waits for it
  const pool = openProjectionPool(databaseUrl, patience);
  const readStores = openStorePools(stores.readDatabaseUrls, patience);
  try {
    await work(boundGroups({ eventStore, intakeLog, pool, stores: readStores }), { eventStore, pool });
  } catch (error) {
    throw asSentence(error);
  } finally {
    const pools = [{ pool }, ...readStores].map((each) => each.pool.end());
    await Promise.all([eventStore.close(), intakeLog.close(), ...pools]);
  }
}

function asSentence(error: unknown): unknown {
  if (error instanceof NotRebuilt || error instanceof TablesOfAnotherProgram) return new StartFailure(error.message);
  return isUnavailable(error) ? new StartFailure(`The database went away: ${messageOf(error)}`) : error;
}

const messageOf = (error: unknown): string => (types.isNativeError(error) ? error.message : String(error));
