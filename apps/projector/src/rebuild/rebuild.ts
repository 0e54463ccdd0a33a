import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import type { PoolClient } from 'pg';
import { openLongRunningPool } from '../open-pool';
import type { BoundGroup } from '../runner/bound-group';
import { isUsable, liveVersion, setLiveVersion, withVersionsLock } from '../runner/live-version';
import { hasSealedDays, sealDays } from '../sealing/seal-days';
import { countParked } from '../runner/parked-events';
import { createIndexes, createVersion, dropVersionsExcept, vacuumVersion } from '../runner/version-tables';
import { catchUp, NotRebuilt, type CatchUp, type OnProgress } from './catch-up';
import { compareVersions, type Difference } from './compare-versions';
import { whileLiveIsHeld, type Held } from './while-live-is-held';

export interface RebuildOptions {
  readonly group: BoundGroup;
  readonly onProgress?: OnProgress;
  /** Events per transaction; fewer than that are left to catch up when the projector has to wait. */
  readonly batch?: number;
  /** Whether the new version becomes the live one if it equals it, or is only compared and dropped. */
  readonly flip: boolean;
  /** Whether it becomes the live one although rows differ: the log is right as it is. */
  readonly accept?: boolean;
}

export interface RebuildResult {
  readonly version: number;
  /** Undefined if nothing was compared: the log was replaced, or the live tables have more partitions or other columns. */
  readonly differences: readonly Difference[] | undefined;
  readonly flipped: boolean;
  /** The most events that were caught up at once while the projector had to wait. */
  readonly heldUp: number;
  /** Duration of the switch, ms. */
  readonly flipMs: number;
}

/**
 * Fills a new version beside the live one, from the beginning of the log, and compares both at the same position. Does
 * not interrupt anything: the projector waits for less than a batch, queries never.
 */
export async function rebuild({
  group,
  onProgress,
  flip,
  accept = false,
  batch,
}: RebuildOptions): Promise<RebuildResult> {
  const { pool } = group;
  return alone(group, async () => {
    await assertNothingParked(group, await liveVersion(pool, group));
    const version = await begin(group);
    const filling = { group, version, batch };
    await catchUp({ ...filling, onProgress });
    await assertNothingParked(group, version);
    if (flip) {
      // after filling: maintaining the indexes row by row would cost far more
      await createIndexes(pool, group, version);
      await vacuumVersion(pool, group, version);
      if (hasSealedDays(group)) await seal(group, version);
    }
    const { result: differences, heldUp } = await compareWithLive({ ...filling, onProgress });
    const flipped = flip && (accept || differences === undefined || differences.length === 0);
    const turned = flipped ? await flipTo(filling) : { result: 0, heldUp: 0 };
    if (!flip) await withVersionsLock(pool, (client) => dropOtherVersions(client, group));
    return { version, differences, flipped, flipMs: turned.result, heldUp: Math.max(heldUp, turned.heldUp) };
  });
}

/** Events that an operator has accepted as left out are no reason: every version leaves them out. @throws NotRebuilt */
async function assertNothingParked({ pool, name, log }: BoundGroup, version: number): Promise<void> {
  const parked = await countParked(pool, name, version, await log.epoch());
  if (parked === 0) return;
  const what = `Parked events of ${name} version ${version}: ${parked}`;
  throw new NotRebuilt(`${what}. Retry or accept them before a rebuild (npm run projections -- parked list).`);
}

/** All days that are over, so that no question becomes slower by the switch. */
async function seal({ pool, name }: BoundGroup, version: number): Promise<void> {
  const { failed, error } = await sealDays({ pool, schema: schemaOf(name, version), quietMs: 0 });
  if (failed > 0) throw new Error(`${failed} days of sessions could not be sealed`, { cause: error });
}

const begin = (group: BoundGroup): Promise<number> =>
  withVersionsLock(group.pool, async (client) => {
    const version = (await dropOtherVersions(client, group)) + 1;
    await createVersion(client, group, version, group.log);
    return version;
  });

/** Drops all versions but the live one, which it returns. */
async function dropOtherVersions(client: PoolClient, group: BoundGroup): Promise<number> {
  const live = await liveVersion(client, group);
  await dropVersionsExcept(client, group, live);
  return live;
}

/** Brings both versions to one position, takes a snapshot of both, and releases the live one before the comparison. */
async function compareWithLive(filling: CatchUp): Promise<Held<Difference[] | undefined>> {
  const comparing = openLongRunningPool(filling.group.pool);
  const snapshot = await comparing.connect();
  try {
    const { result: live, heldUp } = await whileLiveIsHeld(filling, async ({ version: standing, sameLog, ownOnly }) => {
      await run(snapshot, sql`begin isolation level repeatable read read only`);
      await run(snapshot, sql`select from projection_groups`);
      return sameLog && ownOnly && (await isUsable(snapshot, filling.group, standing)) ? standing : undefined;
    });
    const { group, version } = filling;
    return { result: live === undefined ? undefined : await compareVersions(snapshot, group, live, version), heldUp };
  } finally {
    snapshot.release(true); // ends its transaction
    await comparing.end();
  }
}

/** Returns how long it took, ms. */
const flipTo = (filling: CatchUp): Promise<Held<number>> =>
  whileLiveIsHeld(filling, async (_, client) => {
    const began = performance.now();
    await setLiveVersion(client, filling.group, filling.version);
    return performance.now() - began;
  });

/** One rebuild of a group at a time. */
async function alone<T>(group: BoundGroup, work: () => Promise<T>): Promise<T> {
  const client = await group.pool.connect();
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
