import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, transaction } from '@ledgerline/platform/database/pool';
import { execute, mergeDdl } from '@ledgerline/platform/database/read-model-ddl';
import { sql } from '@ledgerline/platform/database/sql';
import { readStoredTables } from '@ledgerline/platform/database/table-declaration';
import type { Pool, PoolClient } from 'pg';
import { openLongRunningPool } from '../open-pool';
import type { BoundGroup } from '../runner/bound-group';

const CONNECTIONS = 2;
/** Rows are sorted with more memory than a query gets. */
const BEGIN = "begin; set local work_mem = '64MB'; set local maintenance_work_mem = '64MB'";

/**
 * Merges the rows that were appended to tables of a version while it was filled, and adds the days that are over to longer
 * blocks. Each table is done in one transaction, so that an interrupted merge goes on with the others.
 */
export async function mergeAppended(group: BoundGroup, version: number): Promise<void> {
  const stored = await readStoredTables(group.pool, group.name);
  const isWaiting = ({ name }: ReadModel) =>
    stored.some((table) => table.version === version && table.name === name && table.isAppended);
  const waiting = group.builds.filter(isWaiting);
  if (waiting.length === 0) return;
  const connections = Array.from({ length: CONNECTIONS }, () => openLongRunningPool(group.pool));
  const work = async (connection: Pool) => {
    for (let model = waiting.shift(); model; model = waiting.shift()) {
      const merged = model;
      await transaction(connection, (client) => merge(client, group, version, merged), BEGIN);
    }
  };
  try {
    await Promise.all(connections.map(work));
  } finally {
    await Promise.all(connections.map((connection) => connection.end()));
  }
}

async function merge(client: PoolClient, { name, appending }: BoundGroup, version: number, model: ReadModel) {
  const schema = schemaOf(name, version);
  await execute(client, mergeDdl(schema, model, appending?.additions(schema, model) ?? []));
  // a batch that was computed for the table as it was is discarded
  await run(
    client,
    sql`update projection_checkpoints set parked_revision = parked_revision + 1
      where projection_group = ${name} and version = ${version} and partition in (
        select partition from projection_checkpoints
        where projection_group = ${name} and version = ${version} order by partition for update
      )`,
  );
}
