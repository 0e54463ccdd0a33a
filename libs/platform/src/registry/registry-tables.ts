import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { REGISTRY } from '@ledgerline/contracts/read-models/registry';
import { run, type Queryable } from '../database/pool';
import { readFingerprint, schemaFingerprint } from '../database/schema-fingerprint';
import { identifier, sql, type Sql } from '../database/sql';
import type { Cursor } from '../log/log-reader';

/** The live version of the registry's read models. */
export interface RegistryTables {
  readonly version: number;
  /** The event up to which they are filled. */
  readonly cursor: Cursor;
  readonly table: (model: ReadModel) => Sql;
}

/** The log whose events the tables hold. */
export const CHECKPOINT: Sql = sql`projection_groups g
  join projection_checkpoints c on c.projection_group = g.name and c.version = g.live_version and c.partition = 0`;

/** Undefined while there are none, or none of this event store that this program can read. */
export async function findRegistryTables(on: Queryable, epoch: string): Promise<RegistryTables | undefined> {
  const [live] = await run<{ version: number; cursor: Cursor }>(
    on,
    sql`select g.live_version as version, c.cursor from ${CHECKPOINT} where g.name = ${REGISTRY.name} and c.epoch = ${epoch}`,
  );
  if (!live || (await readFingerprint(on, REGISTRY, live.version)) !== schemaFingerprint(REGISTRY)) return undefined;
  const schema = schemaOf(REGISTRY.name, live.version);
  return { ...live, table: (model) => identifier(schema, model.name) };
}
