import { run, transaction } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import type { BoundGroup } from '../projections/catalogue';
import { createVersion, dropOtherVersions, liveVersion, oneAtATime } from '../runner/versions';
import { catchUp, type OnProgress } from './catch-up';
import { compareVersions, type Difference } from './compare-versions';
import { lockLive, type LivePlaces } from './live-places';

export interface RebuildOptions {
  readonly pool: Pool;
  readonly group: BoundGroup;
  readonly onProgress?: OnProgress;
  /** Whether the new version answers from now on if it is equal to the old one, or is only compared and dropped. */
  readonly flip: boolean;
}

export interface RebuildResult {
  readonly version: number;
  /** Undefined when the log was replaced, and there is nothing to compare with. */
  readonly differences: readonly Difference[] | undefined;
  readonly flipped: boolean;
  /** How long questions could have met a version that was about to be left. */
  readonly flipMs: number;
}

/**
 * Fills a new version beside the one that answers, from the log's beginning, and compares the two at one moment. Works
 * while everything else does: the projector waits for milliseconds, questions never.
 */
export async function rebuild({ pool, group, onProgress, flip }: RebuildOptions): Promise<RebuildResult> {
  return alone(pool, group, async () => {
    const version = await begin(pool, group);
    await catchUp({ pool, group, version, onProgress });
    const differences = await compareWithLive(pool, group, version);
    const flipped = flip && (differences === undefined || differences.length === 0);
    const flipMs = flipped ? await answerFrom(pool, group, version) : 0;
    if (!flip) await oneAtATime(pool, (client) => dropOtherVersions(client, group));
    return { version, differences, flipped, flipMs };
  });
}

const begin = (pool: Pool, group: BoundGroup): Promise<number> =>
  oneAtATime(pool, async (client) => {
    await dropOtherVersions(client, group);
    const version = (await liveVersion(client, group)) + 1;
    await createVersion(client, group, version, group.log);
    return version;
  });

/** Both versions are brought to one place, seen in one snapshot, and let go before the long comparison begins. */
async function compareWithLive(pool: Pool, group: BoundGroup, version: number): Promise<Difference[] | undefined> {
  const snapshot = await pool.connect();
  try {
    await run(snapshot, sql`set statement_timeout = 0`);
    await run(snapshot, sql`set idle_in_transaction_session_timeout = 0`);
    const live = await whileLiveStands(pool, group, version, async ({ version: standing, sameLog }) => {
      await run(snapshot, sql`begin isolation level repeatable read read only`);
      await run(snapshot, sql`select from projection_groups`);
      return sameLog ? standing : undefined;
    });
    return live === undefined ? undefined : await compareVersions(snapshot, group, live, version);
  } finally {
    snapshot.release(true); // its settings are not those of the pool
  }
}

async function answerFrom(pool: Pool, group: BoundGroup, version: number): Promise<number> {
  return whileLiveStands(pool, group, version, async (_, client) => {
    const began = performance.now();
    await run(
      client,
      sql`update projection_groups set live_version = ${version}, flipped_at = clock_timestamp()
        where name = ${group.name}`,
    );
    return performance.now() - began;
  });
}

/** Holds the live version where it is, brings the new one to the same place, and does something then. */
const whileLiveStands = <T>(
  pool: Pool,
  group: BoundGroup,
  version: number,
  work: (live: LivePlaces, client: PoolClient) => Promise<T>,
): Promise<T> =>
  transaction(pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    const live = await lockLive(client, group);
    const upTo = live.sameLog ? (partition: number): Cursor | undefined => live.cursors.get(partition) : undefined;
    await catchUp({ pool, group, version, upTo });
    return work(live, client);
  });

/** One rebuild of a group at a time. */
async function alone<T>(pool: Pool, group: BoundGroup, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const name = `ledgerline rebuild ${group.name}`;
    const [row] = await run<{ mine: boolean }>(client, sql`select pg_try_advisory_lock(hashtext(${name})) as mine`);
    if (!row?.mine) throw new AlreadyRebuilding(group.name);
    return await work();
  } finally {
    client.release(true); // ends the session, and with it the lock
  }
}

export class AlreadyRebuilding extends Error {
  constructor(group: string) {
    super(`The group ${group} is being rebuilt already.`);
    this.name = 'AlreadyRebuilding';
  }
}
