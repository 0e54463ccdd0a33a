import type { Pool } from 'pg';
import type { ColumnType, ReadModelIndex, ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { Group } from '@ledgerline/contracts/read-models/registry';
import { GAMMA } from '@ledgerline/contracts/read-models/session-days';
import { LINK_SPANS } from '@ledgerline/contracts/read-models/time-blocks';
import { type Queryable, run } from './pool';
import { mergeRolesOf } from './read-model-rows';
import { identifier, sql, textHash } from './sql';

/** The declaration of a table, held as its comment, so that a program with another declaration recognises it. */
export interface TableDeclaration {
  /** Numbers that rows depend on; another text means other rows of the same events. */
  readonly meaning: string;
  /** By name: how two rows merge, and the type. */
  readonly columns: Readonly<Record<string, string>>;
}

const declarations = new WeakMap<ReadModel, TableDeclaration>();

export function declarationOf(model: ReadModel): TableDeclaration {
  let declaration = declarations.get(model);
  if (!declaration) declarations.set(model, (declaration = declare(model)));
  return declaration;
}

/** Before what a column holds; such a column stands on its own: its table goes on without it. */
const HOLDS = '= ';

/** A declaration without the columns that stand on their own and are not in another one; itself if it has none. */
export function withoutOthers(stored: TableDeclaration, own: TableDeclaration): TableDeclaration {
  const columns = Object.entries(stored.columns).filter(
    ([name, column]) => name in own.columns || !column.includes(HOLDS),
  );
  return columns.length === Object.keys(stored.columns).length
    ? stored
    : { ...stored, columns: Object.fromEntries(columns) };
}

/** The spans of tables that are gone: without them all others with a span would mean something else than before. */
const FORMER_SPANS = [1, 8, 64];

function declare({ columns, meaning = [1] }: ReadModel): TableDeclaration {
  const spans = 'span' in columns ? [...FORMER_SPANS, ...LINK_SPANS] : [];
  const bins = Object.values(columns).some(({ merge }) => merge === 'histogram') ? [GAMMA] : [];
  const texts = Object.entries(columns).map(([name, { merge, type, by, holds }]): [string, string] => [
    name,
    [merge, type, by, holds && `${HOLDS}${holds}`].filter((part) => part !== undefined).join(' '),
  ]);
  return {
    meaning: [...meaning, ...spans, ...bins].join(' '),
    columns: Object.fromEntries(texts),
  };
}

/**
 * Returns whether rows of one are rows of the other, but for columns that only one has: keys are the same, and all both
 * have.
 */
export function isAlike(a: TableDeclaration, b: TableDeclaration): boolean {
  if (a.meaning !== b.meaning) return false;
  const isShared = (name: string, { columns }: TableDeclaration, other: TableDeclaration) =>
    other.columns[name] === columns[name] || (!(name in other.columns) && !columns[name]?.startsWith('key '));
  return (
    Object.keys(a.columns).every((name) => isShared(name, a, b)) &&
    Object.keys(b.columns).every((name) => isShared(name, b, a))
  );
}

/** Returns whether a table has all columns of a declaration, with the same meaning; it may have more. */
export const covers = (stored: TableDeclaration, own: TableDeclaration): boolean =>
  isAlike(stored, own) && Object.keys(own.columns).every((name) => name in stored.columns);

export const isSame = (a: TableDeclaration, b: TableDeclaration): boolean => covers(a, b) && covers(b, a);

const MARK = 'Ledgerline ';

/** The statement that writes the declaration of a table, by default that of its model. */
export function declarationDdl(schema: string, model: ReadModel, declaration = declarationOf(model)): string {
  const comment = `${MARK}${JSON.stringify(declaration)}`.replaceAll("'", "''");
  return `comment on table ${identifier(schema, model.name).text} is '${comment}'`;
}

/** A table of a version of a group. */
export interface StoredTable {
  readonly version: number;
  readonly name: string;
  /** Undefined for a table without one: of an earlier program, or that is only used while another one is filled. */
  readonly declaration: TableDeclaration | undefined;
}

/** All tables of all versions of a group. */
export async function readStoredTables(on: Queryable, group: Group): Promise<readonly StoredTable[]> {
  const rows = await run<{ version: number; name: string; comment: string | null }>(
    on,
    sql`select substring(n.nspname from '[0-9]+$')::integer as version, c.relname as name,
        obj_description(c.oid, 'pg_class') as comment
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname ~ ${`^${group}_v[0-9]+$`} and c.relkind = 'r'`,
  );
  return rows.map(({ comment, ...table }) => {
    const declared = comment?.startsWith(MARK) ? comment.slice(MARK.length) : undefined;
    return { ...table, declaration: declared === undefined ? undefined : (JSON.parse(declared) as TableDeclaration) };
  });
}

/** Statements that create a schema with these tables where they are missing, and declare what they are. */
export function tablesDdl(schema: string, models: readonly ReadModel[]): string[] {
  const tables = models.flatMap((model) => [tableDdl(schema, model), declarationDdl(schema, model)]);
  return [`create schema if not exists ${quoted(schema)}`, ...tables];
}

/** Statements that create the further indexes of these tables where they are missing. */
export const indexesDdl = (schema: string, models: readonly ReadModel[]): string[] =>
  models.flatMap((model) => model.indexes.map((index) => indexDdl(schema, model, index)));

/** Another declaration is another index. */
const indexName = (model: ReadModel, index: ReadModelIndex): string =>
  `${model.name}_${textHash(JSON.stringify(index)).slice(0, 8)}`;

/** Runs these statements one after the other. */
export async function execute(on: Queryable, statements: readonly string[]): Promise<void> {
  for (const text of statements) await run(on, { text, values: [] });
}

/** The statement that creates a table where it is missing. */
export function tableDdl(schema: string, model: ReadModel): string {
  const columns = Object.entries(model.columns).map(([name, { type }]) => `${quoted(name)} ${columnType(type)}`);
  const parts = [...columns, `primary key (${list(mergeRolesOf(model).keys)})`].join(', ');
  return `create table if not exists ${quoted(schema, model.name)} (${parts}) with (${storageOf(model).join(', ')})`;
}

/** Statements that take a table its primary key while it is filled at once, and give it back. */
export const primaryKeyDdl = (schema: string, model: ReadModel) => {
  const table = quoted(schema, model.name);
  const name = quoted(`${model.name}_pkey`);
  return {
    drop: `alter table ${table} drop constraint if exists ${name}`,
    add: `alter table ${table} add constraint ${name} primary key (${list(mergeRolesOf(model).keys)})`,
  };
};

function indexDdl(schema: string, model: ReadModel, index: ReadModelIndex): string {
  const { on, using } = index;
  // without `fastupdate`, which leaves words in a list that every search would read through
  const method = using ? ` using ${using}` : '';
  const settings = using === 'gin' ? ' with (fastupdate=off)' : '';
  const table = `${quoted(schema, model.name)}${method}`;
  return `create index if not exists ${quoted(indexName(model, index))} on ${table} (${list(on)})${settings}`;
}

/**
 * Room on every page for counters to be updated in place, which rows cannot be of which an indexed column changes, and
 * which facts hardly ever are.
 */
function storageOf(model: ReadModel): string[] {
  const { keys, sums, histograms } = mergeRolesOf(model);
  const isMoved = model.indexes.some(({ on }) => on.some((name) => !keys.includes(name)));
  const isCounted = sums.length + histograms.length > 0;
  return [`fillfactor=${isCounted && !isMoved ? 90 : 100}`];
}

function columnType(type: ColumnType): string {
  if (type.endsWith('?')) return type.slice(0, -1);
  return `${type} not null`;
}

const quoted = (...names: readonly string[]) => identifier(...names).text;
const list = (names: readonly string[]) => names.map((name) => quoted(name)).join(', ');

/**
 * Gives tables that are there the storage settings and the further indexes their models have now, and takes away the
 * indexes no model has. Takes as long as it takes; nothing writes to a table while an index of it is made.
 */
export async function keepUp(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<void> {
  await execute(pool, [
    ...(await storageDdl(pool, schema, models)),
    ...indexesDdl(schema, models),
    ...(await staleIndexesDdl(pool, schema, models)),
  ]);
}

async function storageDdl(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<string[]> {
  const tables = await run<{ name: string; storage: string[] }>(
    pool,
    sql`select c.relname as name, coalesce(c.reloptions, '{}') as storage
      from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = ${schema} and c.relkind = 'r'`,
  );
  const found = new Map(tables.map(({ name, storage }) => [name, storage]));
  return models
    .filter((model) => !storageOf(model).every((setting) => found.get(model.name)?.includes(setting)))
    .map((model) => `alter table ${identifier(schema, model.name).text} set (${storageOf(model).join(', ')})`);
}

/** Dropped beside the questions that read them; nothing waits for that. */
async function staleIndexesDdl(pool: Pool, schema: string, models: readonly ReadModel[]): Promise<string[]> {
  const tables = models.map(({ name }) => name);
  const declared = models.flatMap((model) => model.indexes.map((index) => indexName(model, index)));
  const stale = await run<{ name: string }>(
    pool,
    sql`select i.relname as name
      from pg_index x
      join pg_class i on i.oid = x.indexrelid
      join pg_class t on t.oid = x.indrelid
      join pg_namespace n on n.oid = t.relnamespace
      where n.nspname = ${schema} and t.relname = any(${tables}) and not x.indisprimary
        and not i.relname = any(${declared})`,
  );
  return stale.map(({ name }) => `drop index concurrently if exists ${identifier(schema, name).text}`);
}
