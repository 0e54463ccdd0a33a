import { schemaOf, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { execute, tablesDdl } from '@ledgerline/platform/database/read-model-ddl';
import { keepUp } from '@ledgerline/platform/database/read-model-upkeep';
import { writeFingerprint } from '@ledgerline/platform/database/schema-fingerprint';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { serves, type Share } from '@ledgerline/platform/read-stores/read-store';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import { openLongRunningPool } from '../open-pool';
import { createCheckpoint } from './checkpoint';
import { dropWaiting } from './parked-events';

/** A group in one of the read stores, which has checkpoints for its partitions alone. */
export type PlacedGroup = GroupSchema & { readonly share: Share };

/** Creates the schema, tables and checkpoints of a version where they are missing; without secondary indexes. */
export async function createVersion(
  client: PoolClient,
  group: PlacedGroup,
  version: number,
  log: LogReader<unknown>,
): Promise<void> {
  await execute(client, tablesDdl(schemaOf(group.name, version), group.builds));
  await writeFingerprint(client, group, version);
  const [epoch, partitions] = await Promise.all([log.epoch(), log.partitions()]);
  for (let partition = 0; partition < partitions; partition++) {
    if (serves(group.share, partition))
      await createCheckpoint(client, { group: group.name, version, partition }, epoch);
  }
}

/** Gives the tables of a version their secondary indexes, however long that takes; in one process at a time. */
export function createIndexes(pool: Pool, { name, builds }: GroupSchema, version: number): Promise<void> {
  const schema = schemaOf(name, version);
  return longRunning(pool, async (connection) => {
    await run(connection, sql`select pg_advisory_lock(hashtext(${`ledgerline indexes ${schema}`}))`); // until the end
    await keepUp(connection, schema, builds);
  });
}

export function vacuumVersion(pool: Pool, { name, builds }: GroupSchema, version: number): Promise<void> {
  const tables = builds.map((model) => identifier(schemaOf(name, version), model.name).text);
  return longRunning(pool, (connection) =>
    execute(
      connection,
      tables.map((table) => `vacuum (analyze) ${table}`),
    ),
  );
}

export async function dropVersionsExcept(client: PoolClient, { name }: GroupSchema, kept: number): Promise<void> {
  const others = await run<{ version: number }>(
    client,
    sql`delete from projection_checkpoints where projection_group = ${name} and version <> ${kept} returning version`,
  );
  for (const version of new Set(others.map((other) => other.version))) {
    await run(client, dropWaiting(name, version));
    const schema = identifier(schemaOf(name, version)).text;
    await run(client, { text: `drop schema if exists ${schema} cascade`, values: [] });
  }
}

async function longRunning(pool: Pool, work: (connection: Pool) => Promise<void>): Promise<void> {
  const connection = openLongRunningPool(pool);
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}
