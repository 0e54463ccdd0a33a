import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { REGISTRY } from '@ledgerline/contracts/read-models/registry';
import { run, type Queryable } from '../database/pool';
import { sql, type Sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';
import { liveTables, TableRebuilding } from '../table-versions/live-tables';

/** The registry's read models that answer. */
export interface RegistryTables {
  /** Changes with every change of what tables answer. */
  readonly layout: string;
  /** The event up to which they are filled, and the log that it is of. */
  readonly cursor: Cursor;
  readonly epoch: string;
  readonly table: (model: ReadModel) => Sql;
}

/** The log whose events the tables hold. */
export const CHECKPOINT: Sql = sql`projection_groups g
  join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version and c.partition = 0`;

/**
 * Undefined while there are none, or not all of these tables, of this event store and that this program can read.
 * Without an epoch, of whichever store they are filled from.
 */
export async function findRegistryTables(
  on: Queryable,
  epoch: string | undefined,
  models: readonly ReadModel[],
): Promise<RegistryTables | undefined> {
  const [live] = await run<{ layout: string; cursor: Cursor; epoch: string }>(
    on,
    sql`select g.layout, c.cursor, c.epoch from ${CHECKPOINT}
        where g.name = ${REGISTRY.name} and c.epoch = coalesce(${epoch ?? null}::text, c.epoch)`,
  );
  const tables = live && (await liveTables(on, REGISTRY.name, live.layout));
  if (!tables) return undefined;
  try {
    const found = new Map(models.map((model) => [model.name, tables.wholeTable(model)]));
    return { ...live, table: ({ name }) => found.get(name) ?? missing(name) };
  } catch (error) {
    if (error instanceof TableRebuilding) return undefined;
    throw error;
  }
}

function missing(name: string): never {
  throw new RangeError(`The table ${name} was not asked for.`);
}
