import { schemaOf, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { hasShape } from '@ledgerline/platform/database/read-model-shape';
import { readFingerprint, schemaFingerprint } from '@ledgerline/platform/database/schema-fingerprint';
import { sql } from '@ledgerline/platform/database/sql';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import { assertPlacement } from '@ledgerline/platform/read-stores/placement';
import { createVersion, type PlacedGroup } from './version-tables';

/**
 * The live version of a group; version 1 is created on the first start. Where its tables have another fingerprint, the
 * newest version with this program's takes over, or else a new one, which begins with the log.
 * @throws StartFailure for a read store with other partitions
 */
export async function openLiveVersion(pool: Pool, group: PlacedGroup, log: LogReader<unknown>): Promise<number> {
  return withVersionsLock(pool, async (client) => {
    await run(
      client,
      sql`insert into projection_groups (name, live_version) values (${group.name}, 1) on conflict do nothing`,
    );
    if (group.name !== 'registry') await assertPlacement(client, group.share, group.name, await log.partitions());
    const version = await usableVersion(client, group, log);
    await createVersion(client, group, version, log);
    return version;
  });
}

/** Drops nothing: a rebuild may be filling another version, and an earlier program may come back to its own. */
async function usableVersion(client: PoolClient, group: GroupSchema, log: LogReader<unknown>): Promise<number> {
  const live = await liveVersion(client, group);
  const versions = await versionsOf(client, group, await log.epoch());
  if (versions.length === 0 || (await isUsable(client, group, live))) return live;
  for (const { version, sameLog } of versions) {
    if (sameLog && (await isUsable(client, group, version))) return setLiveVersion(client, group, version);
  }
  return setLiveVersion(client, group, Math.max(live, ...versions.map(({ version }) => version)) + 1);
}

/** All versions that were begun, the newest first, and whether they are of this log. */
const versionsOf = (client: PoolClient, { name }: GroupSchema, epoch: string) =>
  run<{ version: number; sameLog: boolean }>(
    client,
    sql`select version, bool_and(epoch = ${epoch}) as "sameLog" from projection_checkpoints
      where projection_group = ${name} group by version order by version desc`,
  );

/** Makes a version the live one. */
export async function setLiveVersion(client: PoolClient, { name }: GroupSchema, version: number): Promise<number> {
  await run(client, sql`update projection_groups set live_version = ${version} where name = ${name}`);
  return version;
}

/** False without tables, and for tables with other columns or another fingerprint. */
export async function isUsable(client: Queryable, group: GroupSchema, version: number): Promise<boolean> {
  const fingerprint = await readFingerprint(client, group, version);
  if (fingerprint === undefined) return false;
  const isOwn = fingerprint === null || fingerprint === schemaFingerprint(group);
  return isOwn && hasShape(client, schemaOf(group.name, version), group.builds);
}

/** The live version, unless its tables have another fingerprint: then this program must not write to them. */
export async function writableVersion(on: Queryable, group: GroupSchema): Promise<number> {
  const version = await liveVersion(on, group);
  if ((await readFingerprint(on, group, version)) === schemaFingerprint(group)) return version;
  throw new RangeError(
    `Another program made the tables of ${group.name} version ${version}; this one no longer writes.`,
  );
}

export async function liveVersion(on: Queryable, { name }: Pick<GroupSchema, 'name'>): Promise<number> {
  const [row] = await run<{ live: number }>(
    on,
    sql`select live_version as live from projection_groups where name = ${name}`,
  );
  if (!row) throw new RangeError(`The group ${name} has no version yet; the projector makes it on its first start.`);
  return row.live;
}

/** Runs a change of versions, one at a time in all processes. */
export const withVersionsLock = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  transaction(pool, async (client) => {
    await run(client, sql`select pg_advisory_xact_lock(hashtext('ledgerline projection versions'))`);
    return work(client);
  });
