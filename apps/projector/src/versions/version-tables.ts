import type { Pool, PoolClient } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type GroupSchema, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run } from '@ledgerline/platform/database/pool';
import {
  declarationOf,
  execute,
  keepUp,
  readStoredTables,
  tablesDdl,
} from '@ledgerline/platform/database/read-model-tables';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { BEGINNING, type LogReader } from '@ledgerline/platform/log/log-reader';
import { type StoreShare, serves } from '@ledgerline/platform/read-stores/read-stores';
import {
  pendingVersion,
  readLayout,
  tableVersionOf,
  type GroupLayout,
} from '@ledgerline/platform/table-versions/live-tables';
import { openLongRunningPool } from '../open-pool';
import { changeLayout, withVersionsLock, type LayoutChange } from './change-layout';
import { isSameTable } from './program-tables';

/** A group in one of the read stores, which has checkpoints for its partitions alone. */
export type PlacedGroup = GroupSchema & { readonly share: StoreShare };

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

/** Creates the checkpoints that are missing. */
export async function createCheckpoints(
  client: PoolClient,
  { name, share }: PlacedGroup,
  version: number,
  log: LogReader<unknown>,
): Promise<void> {
  const [epoch, partitions] = await Promise.all([log.epoch(), log.partitions()]);
  for (let partition = 0; partition < partitions; partition++) {
    if (!serves(share, partition)) continue;
    await run(
      client,
      sql`insert into projection_checkpoints (projection_group, version, partition, epoch, cursor)
        values (${name}, ${version}, ${partition}, ${epoch}, ${BEGINNING}) on conflict do nothing`,
    );
  }
}

/** Gives the tables that answer the secondary indexes that this program declares, if they are its own. */
export async function createMissingIndexes(pool: Pool, group: GroupSchema): Promise<void> {
  const layout = await readLayout(pool, group.name);
  const stored = await readStoredTables(pool, group.name);
  if (!layout) return;
  const byVersion = new Map<number, ReadModel[]>();
  for (const model of group.builds) {
    const version = tableVersionOf(layout, model.name);
    const table = stored.find((each) => each.name === model.name && each.version === version);
    if (isSameTable(table?.declaration, declarationOf(model)))
      byVersion.set(version, [...(byVersion.get(version) ?? []), model]);
  }
  for (const [version, models] of byVersion) await createIndexes(pool, group, version, models);
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

async function longRunning(pool: Pool, work: (connection: Pool) => Promise<void>): Promise<void> {
  const connection = openLongRunningPool(pool);
  try {
    await work(connection);
  } finally {
    await connection.end();
  }
}

/** A group and the database of its tables. */
type Placed = GroupSchema & { readonly pool: Pool };

/** Changes a layout and drops what it does not name. */
export const dropVersions = (group: Placed, change: (layout: GroupLayout) => LayoutChange): Promise<void> =>
  withVersionsLock(group.pool, async (client) => {
    await dropUnused(client, group, await changeLayout(client, group.name, change));
  });

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
    const its = layout.tables[table];
    const before = previous?.tables[table];
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
    await run(
      client,
      sql`delete from parked_events where projection_group = ${name} and version = ${version} and accepted_at is null`,
    );
    await execute(client, [`drop schema ${identifier(schemaOf(name, version)).text} cascade`]);
  }
  await run(
    client,
    sql`delete from projection_checkpoints where projection_group = ${name} and not version = any(${[live, ...whole]}::integer[])`,
  );
}

/** Drops the tables of a version but these: the others were only needed to fill them. */
export async function dropOthers({ pool, name }: Placed, version: number, models: readonly ReadModel[]): Promise<void> {
  const stored = await readStoredTables(pool, name);
  const others = stored.filter(
    ({ name: table, version: its }) => its === version && !models.some((model) => model.name === table),
  );
  await execute(
    pool,
    others.map(({ name: table }) => `drop table ${identifier(schemaOf(name, version), table).text}`),
  );
}

/** Drops the tables that only an earlier program has, when all of this one answer: they lack what happened since then. */
export const dropFormer = (group: Placed): Promise<void> =>
  withVersionsLock(group.pool, async (client) => {
    const { name } = group;
    const layout = await readLayout(client, name);
    const tables = formerTables(group, layout);
    if (!layout || tables.length === 0) return;
    const places = tables.map((table) => identifier(schemaOf(name, tableVersionOf(layout, table)), table).text);
    await changeLayout(client, name, (now) => ({ ...now, tables: without(now.tables, tables) }));
    await execute(
      client,
      places.map((place) => `drop table if exists ${place}`),
    );
  });

/** None while this program has tables to fill, or what answered before can answer again. */
function formerTables({ builds }: Placed, layout: GroupLayout | undefined): readonly string[] {
  if (!layout || layout.previous || pendingVersion(layout) !== undefined) return [];
  const frozen = Object.keys(layout.tables).filter((table) => layout.tables[table]?.isFrozen);
  return frozen.some((table) => builds.some(({ name }) => name === table)) ? [] : frozen;
}

const without = (places: GroupLayout['tables'], names: readonly string[]): GroupLayout['tables'] =>
  Object.fromEntries(Object.entries(places).filter(([name]) => !names.includes(name)));
