import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
import { isLocked } from '@ledgerline/platform/database/database-errors';
import { type Queryable, run, transaction } from '@ledgerline/platform/database/pool';
import { execute } from '@ledgerline/platform/database/read-model-tables';
import { identifier, sql } from '@ledgerline/platform/database/sql';
import { pause } from '@ledgerline/platform/log/timing';

/** A table with a primary key, and without foreign keys. */
export interface TableName {
  readonly schema: string;
  readonly name: string;
}

/** The schema of a copy until it answers. */
const BESIDE = 'rewriting';

/**
 * Writes a table anew beside itself, and puts that in its place: files then have nothing of rows that were deleted or
 * changed before. A trigger makes all changes in both from the beginning on, and the tables are exchanged once nobody has a
 * snapshot of before the last row was copied, in which the copy lacks rows. Each lock is held, or waited for, for less than
 * half a second.
 * @throws RangeError where the table was redefined meanwhile, or is never free
 */
export async function rewriteTable(pool: Pool, table: TableName, signal: AbortSignal): Promise<void> {
  const definition = await readDefinition(pool, table);
  await locking(pool, signal, dropBeside); // what an interrupted one has left, with its trigger
  await create(pool, table, definition);
  await locking(pool, signal, (client) => execute(client, mirroringDdl(table, definition)));
  await copyRows(pool, table, definition, signal);
  await execute(pool, [`vacuum (analyze) ${identifier(BESIDE, table.name).text}`]);
  await untilNobodyLacksRows(pool, signal);
  await locking(pool, signal, (client) => exchange(client, table, definition));
  await dropBeside(pool);
}

/** All that its copy has to have, as statements that give it that. */
interface Definition {
  readonly columns: readonly string[];
  readonly keys: readonly string[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly storage: readonly string[];
  readonly statistics: readonly string[];
  readonly comment: readonly string[];
  readonly grants: readonly string[];
  /** Of an identity column, without its schema; null = there is none. */
  readonly sequence: string | null;
}

async function readDefinition(on: Queryable, { schema, name }: TableName): Promise<Definition> {
  const [definition] = await run<Definition>(
    on,
    sql`select
        array(select quote_ident(attname) from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped
          order by attnum)::text[] as columns,
        array(select quote_ident(a.attname) from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
          where i.indrelid = c.oid and i.indisprimary order by a.attnum)::text[] as keys,
        array(select format('alter table %I.%I add constraint %I %s', ${BESIDE}::text, c.relname, conname, pg_get_constraintdef(k.oid))
          from pg_constraint k where conrelid = c.oid and contype in ('p', 'u') order by conname) as constraints,
        array(select replace(pg_get_indexdef(i.indexrelid), format(' ON %I.%I ', ${schema}::text, c.relname),
            format(' ON %I.%I ', ${BESIDE}::text, c.relname))
          from pg_index i where i.indrelid = c.oid
            and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = c.oid)
          order by i.indexrelid::regclass::text) as indexes,
        array(select format('alter table %I.%I set (%s)', ${BESIDE}::text, c.relname, option)
          from unnest(c.reloptions) option) as storage,
        array(select format('alter table %I.%I alter %I set statistics %s', ${BESIDE}::text, c.relname, attname, attstattarget)
          from pg_attribute where attrelid = c.oid and attnum > 0 and attstattarget >= 0 order by attnum) as statistics,
        array(select format('comment on table %I.%I is %L', ${BESIDE}::text, c.relname, comment)
          from obj_description(c.oid, 'pg_class') comment where comment is not null) as comment,
        array(select format('grant %s on %I.%I to %s', privilege_type, ${BESIDE}::text, c.relname,
            case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end)
          from aclexplode(c.relacl) where grantee <> c.relowner order by 1) as grants,
        (select s.relname from pg_depend d join pg_class s on s.oid = d.objid and s.relkind = 'S'
          where d.refclassid = 'pg_class'::regclass and d.refobjid = c.oid and d.deptype = 'i') as sequence
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = ${schema} and c.relname = ${name} and c.relkind = 'r'`,
  );
  if (!definition) throw new RangeError(`There is no table ${schema}.${name}.`);
  return definition;
}

const dropBeside = (on: Queryable): Promise<void> => execute(on, [`drop schema if exists ${BESIDE} cascade`]);

async function create(pool: Pool, { schema, name }: TableName, definition: Definition): Promise<void> {
  const table = identifier(BESIDE, name).text;
  const { constraints, indexes, storage, statistics, comment, grants, sequence } = definition;
  const like = `create table ${table} (like ${identifier(schema, name).text} including all excluding indexes)`;
  const parts = [...constraints, ...indexes, ...storage, ...statistics, ...comment, ...grants];
  await execute(pool, [`create schema ${BESIDE}`, like, ...parts]);
  const made = (await readDefinition(pool, { schema: BESIDE, name })).sequence;
  if (made === null || sequence === null || made === sequence) return;
  await execute(pool, [`alter sequence ${identifier(BESIDE, made).text} rename to ${identifier(sequence).text}`]);
}

/** The statements that repeat each change of a row in the copy. */
function mirroringDdl({ schema, name }: TableName, { columns, keys }: Definition): string[] {
  const of = (row: string, names: readonly string[]) => names.map((column) => `${row}.${column}`).join(', ');
  const beside = identifier(BESIDE, name).text;
  return [
    `create function ${BESIDE}.mirror() returns trigger language plpgsql set enable_seqscan = off as $$
      begin
        if current_setting('transaction_isolation') <> 'read committed' then -- it may not see the row in the copy
          raise exception 'The table is being rewritten.' using errcode = 'serialization_failure';
        end if;
        if tg_op <> 'INSERT' then
          delete from ${beside} b where (${of('b', keys)}) = (${of('old', keys)});
        end if;
        if tg_op <> 'DELETE' then
          insert into ${beside} (${columns.join(', ')}) overriding system value values (${of('new', columns)});
        end if;
        return null;
      end $$`,
    `create trigger rewriting after insert or update or delete on ${identifier(schema, name).text}
      for each row execute function ${BESIDE}.mirror()`,
  ];
}

const PAGE_BYTES = 8_192;
/** About how long a batch takes. */
const BATCH_MS = 100;

/** Rows are locked until their batch is committed; where somebody changes one of them, it is tried again. */
async function copyRows(
  pool: Pool,
  { schema, name }: TableName,
  { columns }: Definition,
  signal: AbortSignal,
): Promise<void> {
  const table = identifier(schema, name);
  const [size] = await run<{ bytes: number }>(
    pool,
    sql`select pg_relation_size(${table.text}::regclass)::float8 as bytes`,
  );
  const end = Math.ceil((size?.bytes ?? 0) / PAGE_BYTES); // later pages have rows that the trigger has copied
  const list = columns.join(', ');
  const text = `insert into ${identifier(BESIDE, name).text} (${list}) overriding system value
    (select ${list} from ${table.text} where ctid >= $1::tid and ctid < $2::tid for share nowait) on conflict do nothing`;
  let pages = 1;
  for (let page = 0; page < end;) {
    const began = performance.now();
    const batch = { text, values: [`(${page},0)`, `(${page + pages},0)`] };
    await locking(pool, signal, (client) => run(client, batch));
    page += pages;
    const took = performance.now() - began;
    pages = Math.max(1, took > BATCH_MS ? Math.floor(pages / 2) : pages * 2);
    await pause(took, signal); // others have the other half of the time
  }
}

/** So often a lock is tried, or looked for old snapshots: a backup reads from one for as long as it takes. */
const TRIES = 21_600;
const TRY_EVERY_MS = 1_000;

async function untilNobodyLacksRows(pool: Pool, signal: AbortSignal): Promise<void> {
  const [now] = await run<{ xid: string }>(pool, sql`select pg_current_xact_id()::xid::text as xid`);
  for (let tries = 0; tries < TRIES; tries++) {
    const older = await run(
      pool,
      sql`select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
          and pid <> pg_backend_pid() and age(backend_xmin) >= age(${now?.xid}::xid) limit 1`,
    );
    if (older.length === 0) return;
    signal.throwIfAborted();
    await pause(TRY_EVERY_MS, signal);
  }
  throw new RangeError('There is a transaction that does not end.');
}

async function exchange(client: PoolClient, table: TableName, definition: Definition): Promise<void> {
  const original = identifier(table.schema, table.name).text;
  const beside = identifier(BESIDE, table.name).text;
  await execute(client, [`lock table ${original} in access exclusive mode`]);
  if (!isDeepStrictEqual(await readDefinition(client, table), definition))
    throw new RangeError(`The table ${original} was redefined while it was rewritten.`);
  const { sequence } = definition;
  if (sequence !== null) {
    const [from, to] = [table.schema, BESIDE].map((schema) => identifier(schema, sequence).text);
    await execute(client, [`select setval('${to}', last_value, is_called) from ${from}`]);
  }
  await execute(client, [
    `drop table ${original}`,
    `alter table ${beside} set schema ${identifier(table.schema).text}`,
  ]);
}

const BEGIN = `begin; set local lock_timeout = '300ms'`;

/** Runs a transaction whose locks are not waited for any longer, again and again. */
async function locking(pool: Pool, signal: AbortSignal, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    signal.throwIfAborted();
    try {
      await transaction(pool, work, BEGIN);
      return;
    } catch (error) {
      if (!isLocked(error) || tries === TRIES) throw error;
      await pause(TRY_EVERY_MS, signal);
    }
  }
}
