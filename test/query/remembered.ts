import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openPool } from '@ledgerline/platform/database/pool';
import { openEventStore } from '@ledgerline/platform/event-store/event-store.factory';
import { openIntakeLog } from '@ledgerline/platform/intake-log/intake-log.factory';
import type { Pool } from 'pg';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { catalogue } from '../../apps/projector/src/projections/catalogue';
import { openLiveVersion } from '../../apps/projector/src/runner/versions';
import { createTestDatabase } from '../postgres/test-database';

/** A database in which whatever is heard is remembered at once, by the projector's own runners. */
export interface Memory {
  readonly url: string;
  readonly pool: Pool;
  /** Sends events of one website or link, in batches of that size, and projects each batch. */
  hear(subject: string, events: readonly ObservedEvent[], batch?: number): Promise<void>;
  close(): Promise<void>;
}

const PARTITIONS = 2;

export async function openMemory(): Promise<Memory> {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, name: 'spec', max: 4 });
  const projecting = openProjectionPool(database.url, 4);
  const intakeLog = await openIntakeLog({ databaseUrl: database.url, partitions: PARTITIONS });
  const eventStore = await openEventStore({ kind: 'postgres', databaseUrl: database.url });
  const groups = catalogue({ eventStore, intakeLog, pool: projecting }).filter(({ name }) => name !== 'registry');
  for (const group of groups) await openLiveVersion(projecting, group, group.log);
  const runners = groups.flatMap((group) =>
    Array.from({ length: PARTITIONS }, (_, partition) => group.runner({ partition, batch: 5_000, version: 1 })),
  );
  const hear: Memory['hear'] = async (subject, events, batch = 1_000) => {
    for (let at = 0; at < events.length; at += batch) {
      const hits = events.slice(at, at + batch).map((event) => ({ event, subject, dedupe: 'never' as const }));
      await intakeLog.send(hits);
      for (const runner of runners) while ((await runner.step()) !== 'idle');
    }
  };
  const close = async () => {
    await Promise.all([intakeLog.close(), eventStore.close()]);
    await Promise.all([pool.end(), projecting.end()]);
    await database.drop();
  };
  return { url: database.url, pool, hear, close };
}
