import type { Pool, PoolClient } from 'pg';
import { type Json, isObject } from '@ledgerline/contracts/json';
import type { ColumnType, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { RECORD_TABLES, REGISTRY } from '@ledgerline/contracts/read-models/registry';
import type { RegistryState } from '@ledgerline/contracts/records';
import { isMissingTable, orUnavailable } from '../database/database-errors';
import { run, transaction, type Queryable } from '../database/pool';
import type { Value } from '../database/read-model-rows';
import { type Sql, identifier, joinSql, jsonText, sql } from '../database/sql';
import type { Cursor, ReaderPosition } from '../log/log-reader';
import { liveTables, TableRebuilding, OWN_GROUPS } from '../table-versions/live-tables';

/** The registry as its read models hold it. */
export interface StoredRegistry extends RegistryState, ReaderPosition {
  /** Everything up to this event is included. */
  readonly cursor: Cursor;
  /** The epoch of the event store that they were read from. */
  readonly epoch: string;
}

const SNAPSHOT = 'begin isolation level repeatable read read only';

/**
 * Reads the registry in one snapshot; undefined where there are no read models that this program can use.
 * @throws LogUnavailable
 */
export async function readStoredRegistry(pool: Pool): Promise<StoredRegistry | undefined> {
  const read = async (client: PoolClient) => {
    const tables = await findRegistryTables(client, Object.values(RECORD_TABLES));
    if (!tables) return undefined;
    const { cursor, digest, epoch } = tables;
    return { ...(await readRegistryRows(client, tables)), cursor, digest, epoch };
  };
  return orUnavailable('The registry', () => transaction(pool, read, SNAPSHOT));
}

/**
 * Returns the ids of all organizations, also deleted ones; none where the registry cannot be read by this program.
 * @throws LogUnavailable
 */
export const organizationIds = (on: Queryable): Promise<readonly string[]> =>
  orUnavailable('The registry', async () => {
    const { organizations: model } = RECORD_TABLES;
    const tables = await findRegistryTables(on, [model]);
    if (!tables) return [];
    try {
      return (await run<{ id: string }>(on, sql`select id from ${tables.table(model)}`)).map(({ id }) => id);
    } catch (error) {
      if (isMissingTable(error)) return []; // another version has taken its place
      throw error;
    }
  });

export async function readRegistryRows(
  client: Queryable,
  { table }: Pick<RegistryTables, 'table'>,
): Promise<RegistryState> {
  const of = sql`t`;
  const { organizations } = RECORD_TABLES;
  const rowsOf = ([kind, model]: readonly [string, ReadModel]) =>
    run<object>(
      client,
      sql`select ${recordFieldsSql(model, of)} from ${table(model)} t
        left join ${table(organizations)} o on o.id = t.organization_id where o.deleted_at is null
        order by ${ORDERS[kind] ?? BY_CREATION}`,
    );
  const rows: Record<string, readonly object[]> = {
    organizations: await run(client, sql`select ${recordFieldsSql(organizations, of)} from ${table(organizations)} t`),
  };
  for (const owned of OWNED) rows[owned[0]] = await rowsOf(owned);
  return rows as unknown as RegistryState; // a column holds the field of its name
}

const OWNED = Object.entries(RECORD_TABLES).filter(([kind]) => kind !== 'organizations' && kind !== 'links');
const BY_CREATION = sql`t.created_at, t.id`;
const ORDERS: Readonly<Record<string, Sql>> = {
  members: sql`t.organization_id, t.joined_revision`,
  invitations: sql`t.organization_id, t.revision`,
};

/** The columns that these fields are written to. */
export function rowOf({ columns }: ReadModel, fields: object): Readonly<Record<string, Value>> {
  const details = 'details' in fields && isObject(fields.details) ? fields.details : {};
  const values: Readonly<Record<string, unknown>> = { ...details, ...fields };
  const held = Object.entries(columns).filter(([name]) => values[fieldOf(name)] !== undefined);
  return Object.fromEntries(held.map(([name, { type }]) => [name, valueOf(type, values[fieldOf(name)])]));
}

/** A select list of the fields of a record; words are only searched. */
export function recordFieldsSql({ columns }: ReadModel, table: Sql): Sql {
  const names = Object.keys(columns).filter((name) => columns[name]?.type !== 'tsvector');
  return joinSql(
    names.map((name) => sql`${table}.${identifier(name)} as ${identifier(fieldOf(name))}`),
    ', ',
  );
}

const fieldOf = (column: string) => column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

function valueOf(type: ColumnType, value: unknown): Value {
  if (value instanceof Date) return value.getTime();
  return type === 'jsonb' ? jsonText(value as Json) : (value as Value);
}

/** The registry's read models that answer. */
export interface RegistryTables {
  /** Changes with every change of what tables answer. */
  readonly layout: string;
  /** The event up to which they are filled. */
  readonly cursor: Cursor;
  /** See LogPosition. */
  readonly digest: string | undefined;
  /** The epoch of the event store. */
  readonly epoch: string;
  readonly table: (model: ReadModel) => Sql;
}

/** The log whose events the tables hold. */
export const CHECKPOINT: Sql = sql`${OWN_GROUPS} g
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
