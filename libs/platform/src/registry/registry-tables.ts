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
  /** The event up to which they are filled. */
  readonly cursor: Cursor;
  /** See LogPosition. */
  readonly digest: string | undefined;
  /** Of the event store. */
  readonly epoch: string;
  readonly table: (model: ReadModel) => Sql;
}

/** The log whose events the tables hold. */
export const CHECKPOINT: Sql = sql`projection_groups g
  join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version and c.partition = 0`;

/** Undefined while there are none, or not all of these tables, that this program can read. */
export async function findRegistryTables(
  on: Queryable,
  models: readonly ReadModel[],
): Promise<RegistryTables | undefined> {
  const [live] = await run<{ layout: string; cursor: Cursor; digest: string | null; epoch: string }>(
    on,
    sql`select g.layout, c.cursor, c.digest, c.epoch from ${CHECKPOINT} where g.name = ${REGISTRY.name}`,
  );
  const tables = live && (await liveTables(on, REGISTRY.name, live.layout));
  if (!tables) return undefined;
  try {
    const found = new Map(models.map((model) => [model.name, tables.wholeTable(model)]));
    return { ...live, digest: live.digest ?? undefined, table: ({ name }) => found.get(name) ?? missing(name) };
  } catch (error) {
    if (error instanceof TableRebuilding) return undefined;
    throw error;
  }
}

function missing(name: string): never {
  throw new RangeError(`The table ${name} was not asked for.`);
}
