import type { Pool } from 'pg';
import type { ObservedEvent } from '@ledgerline/contracts/events/observed-events';
import { openEventStore } from '@ledgerline/engines/event-store.factory';
import { openPool } from '@ledgerline/platform/database/pool';
import { openIntakeLog } from '@ledgerline/platform/intake-log/postgres-intake-log';
import { compactRollups, type CompactionRule } from '../../apps/projector/src/compaction/compact-rollups';
import { openProjectionPool } from '../../apps/projector/src/open-pool';
import { boundGroups } from '../../apps/projector/src/runner/bound-group';
import { sealDays } from '../../apps/projector/src/sealing/seal-days';
import { openLiveVersion } from '../../apps/projector/src/versions/live-version';
import { createIndexes } from '../../apps/projector/src/versions/version-tables';
import { createTestDatabase } from '../postgres/test-database';
import { waitUntil } from '../wait-until';

/** Stores events and projects them at once, by the projector's own runners. */
export interface DirectProjector {
  /** Sends events of one website or link, in batches of that size, and projects each batch; a repeated one is dropped, or logged again. */
  send(subject: string, events: readonly ObservedEvent[], batch?: number, dedupe?: 'never' | '48h'): Promise<void>;
  /** Projects what others put into the logs. */
  catchUp(): Promise<void>;
  /** Seals the days of sessions that are over. */
  seal(): Promise<void>;
  /** Merges all rows of kept counts of each website, into rows of some days each. */
  pack(): Promise<void>;
  close(): Promise<void>;
}

/** A database of its own for that. */
export interface ProjectedDatabase extends DirectProjector {
  readonly url: string;
  readonly pool: Pool;
}

export const PARTITIONS = 2;

/** Two rows that are not the result of a merge of many days are merged. */
const ALL: CompactionRule = { tiers: [1_000_000], largest: 4_000, ofTier: 2, most: 1 };

export async function openProjectedDatabase(): Promise<ProjectedDatabase> {
  const database = await createTestDatabase();
  const pool = openPool({ url: database.url, name: 'spec', max: 4 });
  const projector = await projectInto(database.url);
  const close = async () => {
    await projector.close();
    await pool.end();
    await database.drop();
  };
  return { ...projector, url: database.url, pool, close };
}

/** The registry is left out unless `without` is empty, as most specs look at websites and links only. */
export async function projectInto(databaseUrl: string, without = ['registry']): Promise<DirectProjector> {
  const projecting = openProjectionPool(databaseUrl, { max: 4 });
  const intakeLog = await openIntakeLog({ databaseUrl, partitions: PARTITIONS });
  const eventStore = await openEventStore({ databaseUrl });
  const groups = boundGroups({ eventStore, intakeLog, pool: projecting }).filter(({ name }) => !without.includes(name));
  for (const group of groups)
    await createIndexes(projecting, group, await openLiveVersion(projecting, group, group.log));
  const runners = (await Promise.all(groups.map(runnersOf))).flat();
  const catchUp = async () => {
    for (const runner of runners)
      await waitUntil(
        () => runner.step(),
        (step) => step === 'idle',
      );
  };
  const send: DirectProjector['send'] = async (subject, events, batch = 1_000, dedupe = '48h') => {
    for (let at = 0; at < events.length; at += batch) {
      const hits = events.slice(at, at + batch).map((event) => ({ event, subject, dedupe }));
      await intakeLog.send(hits);
      await catchUp();
    }
  };
  const seal = async () => void (await sealDays({ pool: projecting, schema: 'websites_v1', quietMs: 0 }));
  const pack = async () => {
    const { failed, error } = await compactRollups({ pool: projecting, schema: 'websites_v1', rule: ALL });
    if (failed > 0) throw error;
  };
  const close = async () => {
    await Promise.all([intakeLog.close(), eventStore.close()]);
    await projecting.end();
  };
  return { send, catchUp, seal, pack, close };
}

async function runnersOf(group: ReturnType<typeof boundGroups>[number]) {
  const partitions = await group.log.partitions();
  return Array.from({ length: partitions }, (_, partition) => group.runner({ partition, batch: 5_000, version: 1 }));
}
