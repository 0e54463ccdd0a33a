import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { Cursor } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import { execute } from '@ledgerline/platform/database/read-model-ddl';
import { openPatientPool } from '../open-pool';
import type { BoundGroup } from '../projections/catalogue';
import { finishVersion } from '../runner/finish-version';
import { answerFrom, createVersion, dropOtherVersions, isUsable, liveVersion, oneAtATime } from '../runner/versions';
import { catchUp, catchUpClosely, eventsOf, type CatchUp, type OnProgress } from './catch-up';
import { compareVersions, type Difference } from './compare-versions';
import { lockLive, type LivePlaces } from './live-places';
import { NotRebuilt } from './not-rebuilt';

export interface RebuildOptions {
  readonly pool: Pool;
  readonly group: BoundGroup;
  readonly onProgress?: OnProgress;
  /** Events per transaction; fewer than that are left to catch up when the projector has to wait. */
  readonly batch?: number;
  /** Whether the new version answers from now on if it is equal to the old one, or is only compared and dropped. */
  readonly flip: boolean;
}

export interface RebuildResult {
  readonly version: number;
  /** Undefined when there is nothing to compare with: the log was replaced, or another program made the tables. */
  readonly differences: readonly Difference[] | undefined;
  readonly flipped: boolean;
  /** The most events that were brought over at once while the projector had to wait. */
  readonly heldUp: number;
  /** How long questions could have met a version that was about to be left. */
  readonly flipMs: number;
}

/**
 * Fills a new version beside the one that answers, from the log's beginning, and compares the two at one moment. Works
 * while everything else does: the projector waits for less than a batch, questions never.
 */
export async function rebuild({ pool, group, onProgress, flip, batch }: RebuildOptions): Promise<RebuildResult> {
  return alone(pool, group, async () => {
    const version = await begin(pool, group);
    const filling = { pool, group, version, batch };
    await catchUp({ ...filling, onProgress });
    if (flip) await finishTables(filling);
    const { result: differences, heldUp } = await compareWithLive({ ...filling, onProgress });
    const flipped = flip && (differences === undefined || differences.length === 0);
    const turned = flipped ? await flipTo(filling) : { result: 0, heldUp: 0 };
    if (!flip) await oneAtATime(pool, (client) => dropOtherVersions(client, group));
    return { version, differences, flipped, flipMs: turned.result, heldUp: Math.max(heldUp, turned.heldUp) };
  });
}

const begin = (pool: Pool, group: BoundGroup): Promise<number> =>
  oneAtATime(pool, async (client) => {
    await dropOtherVersions(client, group);
    const version = (await liveVersion(client, group)) + 1;
    await createVersion(client, group, version, group.log);
    return version;
  });

/** Indexes are made in one go, once the tables are nearly full: keeping them up to date row by row costs far more. */
async function finishTables({ pool, group, version }: Filling): Promise<void> {
  await finishVersion(pool, group, version);
  const schema = schemaOf(group.name, version);
  const patient = openPatientPool(pool);
  try {
    await execute(
      patient,
      group.builds.map(({ name }) => `vacuum (analyze) ${identifier(schema, name).text}`),
    );
  } finally {
    await patient.end();
  }
}

/** Both versions are brought to one place, seen in one snapshot, and let go before the long comparison begins. */
async function compareWithLive(filling: Filling): Promise<Held<Difference[] | undefined>> {
  const comparing = openPatientPool(filling.pool);
  const snapshot = await comparing.connect();
  try {
    const { result: live, heldUp } = await whileLiveStands(filling, async ({ version: standing, sameLog }) => {
      await run(snapshot, sql`begin isolation level repeatable read read only`);
      await run(snapshot, sql`select from projection_groups`);
      return sameLog && (await isUsable(snapshot, filling.group, standing)) ? standing : undefined;
    });
    const { group, version } = filling;
    return { result: live === undefined ? undefined : await compareVersions(snapshot, group, live, version), heldUp };
  } finally {
    snapshot.release(true); // ends its transaction
    await comparing.end();
  }
}

/** Answers how long it took, ms. */
const flipTo = (filling: Filling): Promise<Held<number>> =>
  whileLiveStands(filling, async (_, client) => {
    const began = performance.now();
    await answerFrom(client, filling.group, filling.version);
    return performance.now() - began;
  });

type Filling = Omit<CatchUp, 'upTo'>;

/** What was done while the live version stood, and how many events it waited for. */
interface Held<T> {
  readonly result: T;
  readonly heldUp: number;
}

/** Comes near, holds the live version where it is, brings the new one to the same place, and does something then. */
async function whileLiveStands<T>(
  filling: Filling,
  work: (live: LivePlaces, client: PoolClient) => Promise<T>,
): Promise<Held<T>> {
  const { pool, group, version, batch } = filling;
  await catchUpClosely(filling);
  return transaction(pool, async (client) => {
    await run(client, sql`set local idle_in_transaction_session_timeout = '60s'`);
    const before = await eventsOf(pool, group, version);
    const live = await lockLive(client, group);
    if (live.version === version) throw new NotRebuilt(takenOver(group.name, version));
    const upTo = live.sameLog ? (partition: number): Cursor | undefined => live.cursors.get(partition) : undefined;
    await catchUp({ pool, group, version, upTo, batch });
    const heldUp = (await eventsOf(pool, group, version)) - before;
    return { result: await work(live, client), heldUp };
  });
}

/** A projector that started meanwhile found the tables that were being filled to be its own, and the live ones not. */
const takenOver = (group: string, version: number) =>
  `A projector answers from version ${version} of ${group} already, and fills it; there is nothing to compare.`;

/** One rebuild of a group at a time. */
async function alone<T>(pool: Pool, group: BoundGroup, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const name = `ledgerline rebuild ${group.name}`;
    const [row] = await run<{ mine: boolean }>(client, sql`select pg_try_advisory_lock(hashtext(${name})) as mine`);
    if (!row?.mine) throw new NotRebuilt(`The group ${group.name} is being rebuilt already.`);
    return await work();
  } finally {
    await run(client, sql`select pg_advisory_unlock_all()`).catch(() => undefined); // TRICKY: the server ends sessions later
    client.release(true);
  }
}
