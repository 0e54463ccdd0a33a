import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import { run, transaction, type Queryable } from '@ledgerline/platform/database/pool';
import { execute, indexesDdl, tablesDdl } from '@ledgerline/platform/database/read-model-ddl';
import { hasShape } from '@ledgerline/platform/database/read-model-shape';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import type { ProjectionGroup } from '../projections/projection-group';
import { createCheckpoint } from './checkpoint';

type AnyGroup = Pick<ProjectionGroup<never>, 'name' | 'builds'>;

/**
 * The version of a group that answers; version 1 is made on the very first start. Where its tables are not those of this
 * program, which was another one when they were made, the next version takes over and begins with the log.
 */
export async function openLiveVersion(pool: Pool, group: AnyGroup, log: LogReader<unknown>): Promise<number> {
  return oneAtATime(pool, async (client) => {
    await run(
      client,
      sql`insert into projection_groups (name, live_version) values (${group.name}, 1) on conflict do nothing`,
    );
    const version = await usableVersion(client, group);
    await createVersion(client, group, version, log);
    await execute(client, indexesDdl(schemaOf(group.name, version), group.builds));
    return version;
  });
}

async function usableVersion(client: PoolClient, group: AnyGroup): Promise<number> {
  const live = await liveVersion(client, group);
  if (await isUsable(client, group, live)) return live;
  await dropOtherVersions(client, group);
  await run(
    client,
    sql`update projection_groups set live_version = ${live + 1}, flipped_at = clock_timestamp() where name = ${group.name}`,
  );
  return live + 1;
}

/** False for tables that another program made, in whose place those of this one would be. */
export async function isUsable(client: Queryable, { name, builds }: AnyGroup, version: number): Promise<boolean> {
  const schema = schemaOf(name, version);
  const [made] = await run(client, sql`select from pg_namespace where nspname = ${schema}`);
  return !made || hasShape(client, schema, builds);
}

export async function liveVersion(on: Pool | PoolClient, { name }: AnyGroup): Promise<number> {
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
  group: AnyGroup,
  version: number,
  log: LogReader<unknown>,
): Promise<void> {
  await execute(client, tablesDdl(schemaOf(group.name, version), group.builds));
  const [epoch, partitions] = await Promise.all([log.epoch(), log.partitions()]);
  for (let partition = 0; partition < partitions; partition++) {
    await createCheckpoint(client, { group: group.name, version, partition }, epoch);
  }
}

/** Drops every version of a group but the one that answers. */
export async function dropOtherVersions(client: PoolClient, group: AnyGroup): Promise<void> {
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
