import { schemaOf, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run } from '@ledgerline/platform/database/pool';
import { execute, tablesDdl } from '@ledgerline/platform/database/read-model-ddl';
import { keepUp } from '@ledgerline/platform/database/read-model-upkeep';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { serves, type Share } from '@ledgerline/platform/read-stores/read-store';
import type { GroupLayout } from '@ledgerline/platform/table-versions/group-layout';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import type { Pool, PoolClient } from 'pg';
import { openLongRunningPool } from '../open-pool';
import { createCheckpoint } from './checkpoint';
import { dropWaiting } from './parked-events';

/** A group in one of the read stores, which has checkpoints for its partitions alone. */
export type PlacedGroup = GroupSchema & { readonly share: Share };

/** Creates the schema, tables and checkpoints of a version; without secondary indexes. */
export async function createVersion(
  client: PoolClient,
  group: PlacedGroup,
  version: number,
  log: LogReader<unknown>,
  models: readonly ReadModel[] = group.builds,
): Promise<void> {
  await execute(client, tablesDdl(schemaOf(group.name, version), models));
  await createCheckpoints(client, group, version, log);
}

/** Those that are missing. */
export async function createCheckpoints(
  client: PoolClient,
  group: PlacedGroup,
  version: number,
  log: LogReader<unknown>,
): Promise<void> {
  const [epoch, partitions] = await Promise.all([log.epoch(), log.partitions()]);
  for (let partition = 0; partition < partitions; partition++) {
    if (serves(group.share, partition))
      await createCheckpoint(client, { group: group.name, version, partition }, epoch);
  }
}

/** Gives tables of a version their secondary indexes, however long that takes; in one process at a time. */
export function createIndexes(
  pool: Pool,
  { name, builds }: GroupSchema,
  version: number,
  models: readonly ReadModel[] = builds,
): Promise<void> {
  const schema = schemaOf(name, version);
  return longRunning(pool, async (connection) => {
    await run(connection, sql`select pg_advisory_lock(hashtext(${`ledgerline indexes ${schema}`}))`); // until the end
    await keepUp(connection, schema, models);
  });
}

export function vacuumVersion(
  pool: Pool,
  { name, builds }: GroupSchema,
  version: number,
  models: readonly ReadModel[] = builds,
): Promise<void> {
  const tables = models.map((model) => identifier(schemaOf(name, version), model.name).text);
  return longRunning(pool, (connection) =>
    execute(
      connection,
      tables.map((table) => `vacuum (analyze) ${table}`),
    ),
  );
}

/** Drops the tables and checkpoints that a layout does not name, and are not of these versions. */
export async function dropUnused(
  client: PoolClient,
  { name }: Pick<GroupSchema, 'name'>,
  layout: GroupLayout,
  ...kept: readonly number[]
): Promise<void> {
  const { version: live, previous } = layout;
  const pending = Object.values(layout.tables).flatMap(({ pending: of }) => of ?? []);
  const whole = [...(previous ? [previous.version] : []), ...pending, ...kept];
  const places = (table: string): readonly (number | undefined)[] => {
    const [its, before] = [layout.tables[table], previous?.tables[table]];
    return [its?.version ?? live, its?.previous, before?.version];
  };
  const stored = await readStoredTables(client, name);
  const unused = stored.filter(
    ({ version, name: table }) => !whole.includes(version) && !places(table).includes(version),
  );
  const left = new Set(stored.filter((table) => !unused.includes(table)).map(({ version }) => version));
  for (const { version, name: table } of unused) {
    if (left.has(version)) await execute(client, [`drop table ${identifier(schemaOf(name, version), table).text}`]);
  }
  for (const version of new Set(unused.map(({ version: of }) => of))) {
    if (left.has(version)) continue;
    await run(client, dropWaiting(name, version));
    await execute(client, [`drop schema ${identifier(schemaOf(name, version)).text} cascade`]);
  }
  await run(
    client,
    sql`delete from projection_checkpoints where projection_group = ${name} and not version = any(${[live, ...whole]}::integer[])`,
  );
}

async function longRunning(pool: Pool, work: (connection: Pool) => Promise<void>): Promise<void> {
  const connection = openLongRunningPool(pool);
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}
