import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { execute, tablesDdl } from '@ledgerline/platform/database/read-model-ddl';
import { hasShape } from '@ledgerline/platform/database/read-model-shape';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import { createCheckpoint } from './checkpoint';
import { mark, markOf, readMark, type MarkedGroup } from './mark';

/**
 * The version of a group that answers; version 1 is made on the very first start. Where its tables are not those of this
 * program, which was another one when they were made, the newest version takes over that is of this program, or else a new one, which
 * begins with the log. Its further indexes are not made yet.
 */
export async function openLiveVersion(pool: Pool, group: MarkedGroup, log: LogReader<unknown>): Promise<number> {
  return oneAtATime(pool, async (client) => {
    await run(
      client,
      sql`insert into projection_groups (name, live_version) values (${group.name}, 1) on conflict do nothing`,
    );
    const version = await usableVersion(client, group, log);
    await createVersion(client, group, version, log);
    return version;
  });
}

/** Drops nothing: a rebuild may be filling another version, and an earlier program may come back to its own. */
async function usableVersion(client: PoolClient, group: MarkedGroup, log: LogReader<unknown>): Promise<number> {
  const live = await liveVersion(client, group);
  const versions = await versionsOf(client, group, await log.epoch());
  if (versions.length === 0 || (await isUsable(client, group, live))) return live;
  for (const { version, sameLog } of versions) {
    if (sameLog && (await isUsable(client, group, version))) return answerFrom(client, group, version);
  }
  return answerFrom(client, group, Math.max(live, ...versions.map(({ version }) => version)) + 1);
}

/** All versions that were begun, the newest first, and whether they are of this log. */
const versionsOf = (client: PoolClient, { name }: MarkedGroup, epoch: string) =>
  run<{ version: number; sameLog: boolean }>(
    client,
    sql`select version, bool_and(epoch = ${epoch}) as "sameLog" from projection_checkpoints
      where projection_group = ${name} group by version order by version desc`,
  );

/** Lets a version answer from now on. */
export async function answerFrom(client: PoolClient, { name }: MarkedGroup, version: number): Promise<number> {
  await run(
    client,
    sql`update projection_groups set live_version = ${version}, flipped_at = clock_timestamp() where name = ${name}`,
  );
  return version;
}

/** False without tables, and for tables that another program made, in whose place those of this one would be. */
export async function isUsable(client: Queryable, group: MarkedGroup, version: number): Promise<boolean> {
  const marked = await readMark(client, group, version);
  if (marked === undefined) return false;
  return (marked ?? markOf(group)) === markOf(group) && hasShape(client, schemaOf(group.name, version), group.builds);
}

/** The version that answers, unless another program has made its tables since: then this one must not touch them. */
export async function writableVersion(on: Queryable, group: MarkedGroup): Promise<number> {
  const version = await liveVersion(on, group);
  if ((await readMark(on, group, version)) === markOf(group)) return version;
  throw new RangeError(
    `Another program made the tables of ${group.name} version ${version}; this one no longer writes.`,
  );
}

export async function liveVersion(on: Queryable, { name }: Pick<MarkedGroup, 'name'>): Promise<number> {
  const [row] = await run<{ live: number }>(
    on,
    sql`select live_version as live from projection_groups where name = ${name}`,
  );
  if (!row) throw new RangeError(`The group ${name} has no version yet; the projector makes it on its first start.`);
  return row.live;
}

/** The schema, tables and checkpoints of a version, where they are missing; its further indexes are not made yet. */
export async function createVersion(
  client: PoolClient,
  group: MarkedGroup,
  version: number,
  log: LogReader<unknown>,
): Promise<void> {
  await execute(client, tablesDdl(schemaOf(group.name, version), group.builds));
  await mark(client, group, version);
  const [epoch, partitions] = await Promise.all([log.epoch(), log.partitions()]);
  for (let partition = 0; partition < partitions; partition++) {
    await createCheckpoint(client, { group: group.name, version, partition }, epoch);
  }
}

/** Drops every version of a group but the one that answers. */
export async function dropOtherVersions(client: PoolClient, group: MarkedGroup): Promise<void> {
  const live = await liveVersion(client, group);
  const others = await run<{ version: number }>(
    client,
    sql`delete from projection_checkpoints where projection_group = ${group.name} and version <> ${live}
      returning version`,
  );
  for (const version of new Set(others.map((other) => other.version))) {
    const schema = identifier(schemaOf(group.name, version)).text;
    await run(client, { text: `drop schema if exists ${schema} cascade`, values: [] });
  }
}

/** Runs a change of versions while no other process is at one. */
export const oneAtATime = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  transaction(pool, async (client) => {
    await run(client, sql`select pg_advisory_xact_lock(hashtext('ledgerline projection versions'))`);
    return work(client);
  });
