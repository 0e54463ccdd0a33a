import { schemaOf, type Group, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { identifier } from '@ledgerline/platform/database/sql';
import { declarationOf, isAlike, readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { readLayout, versionOf } from '@ledgerline/platform/table-versions/group-layout';

/** A table that differs between two versions, with the number of rows only one of them has. */
export interface Difference {
  readonly table: string;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  /** The first of them. */
  readonly rows: readonly DifferentRow[];
}

/** A row of both versions, by its key; null = the version has none. Values as Postgres writes them as JSON. */
export interface DifferentRow {
  readonly key: Columns;
  /** Only the columns that differ, if both have the row. */
  readonly before: Columns | null;
  readonly after: Columns | null;
}

type Columns = Readonly<Record<string, unknown>>;

/** A table of two versions, and the columns that are compared. */
interface TablePair {
  readonly model: ReadModel;
  readonly before: string;
  readonly after: string;
}

/** Rows that are shown of each table. */
const SHOWN = 5;

/**
 * Which of these tables of a version can be compared with those that answer: those of the same meaning, by the columns
 * that both have. None where what computing reads means something else.
 */
export async function comparableTables(
  on: Queryable,
  group: GroupSchema,
  models: readonly ReadModel[],
  version: number,
): Promise<readonly TablePair[]> {
  const [layout, stored] = [await readLayout(on, group.name), await readStoredTables(on, group.name)];
  if (!layout) return [];
  const declaredBefore = (model: ReadModel) => {
    const answers = versionOf(layout, model.name);
    const found = stored.find((table) => table.name === model.name && table.version === answers)?.declaration;
    return found && !layout.tables[model.name]?.isFrozen && isAlike(found, declarationOf(model)) ? found : undefined;
  };
  if (!group.state.every(declaredBefore)) return [];
  return models.flatMap((model) => {
    const declared = declaredBefore(model);
    return declared ? pairsOf(group.name, model, versionOf(layout, model.name), version, declared) : [];
  });
}

/** None for a table that is not compared. */
export function pairsOf(
  group: Group,
  model: ReadModel,
  before: number,
  after: number,
  declared: { readonly columns: object } = model,
): readonly TablePair[] {
  if (model.isCompared === false) return [];
  const columns = Object.entries(model.columns).filter(([name, { isCompared }]) => {
    return isCompared !== false && name in declared.columns;
  });
  const tableOf = (version: number) => identifier(schemaOf(group, version), model.name).text;
  return [
    { model: { ...model, columns: Object.fromEntries(columns) }, before: tableOf(before), after: tableOf(after) },
  ];
}

/** Compares tables row for row; nothing = they are equal. */
export async function compareTables(on: Queryable, pairs: readonly TablePair[]): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { model, before, after } of pairs) {
    if ((await fingerprint(on, model, before)) === (await fingerprint(on, model, after))) continue;
    const [onlyBefore, onlyAfter] = [
      await countExcept(on, model, before, after),
      await countExcept(on, model, after, before),
    ];
    const rows = await differentRows(on, { model, before, after });
    differences.push({ table: model.name, onlyBefore, onlyAfter, rows });
  }
  return differences;
}

/** The number of rows and the sum of their hashes, whatever their order. */
async function fingerprint(on: Queryable, model: ReadModel, table: string): Promise<string> {
  const hashable = Object.entries(model.columns).map(([name, { type }]) => {
    const column = identifier(name).text;
    return type === 'tsvector' ? `${column}::text` : column;
  });
  const hash = `hash_record_extended(row(${hashable.join(', ')}), 0)`;
  const text = `select count(*)::text as rows, sum(${hash})::text as hash from ${table}`;
  const [row] = await run<{ rows: string; hash: string | null }>(on, { text, values: [] });
  return `${row?.rows ?? ''} ${row?.hash ?? ''}`;
}

const columnsOf = ({ columns }: ReadModel): string =>
  Object.keys(columns)
    .map((name) => identifier(name).text)
    .join(', ');

const except = (model: ReadModel, a: string, b: string): string =>
  `(select ${columnsOf(model)} from ${a} except all select ${columnsOf(model)} from ${b})`;

async function countExcept(on: Queryable, model: ReadModel, a: string, b: string): Promise<number> {
  const text = `select count(*)::integer as rows from ${except(model, a, b)} missing`;
  const [row] = await run<{ rows: number }>(on, { text, values: [] });
  return row?.rows ?? 0;
}

async function differentRows(on: Queryable, { model, before, after }: TablePair): Promise<DifferentRow[]> {
  const names = Object.keys(model.columns).filter((name) => model.columns[name]?.merge === 'key');
  const keys = names.map((name) => identifier(name).text).join(', ');
  const found = await run<{ key: Columns; before: Columns | null; after: Columns | null }>(on, {
    text: `with different as (
        select ${keys} from ${except(model, before, after)} a union select ${keys} from ${except(model, after, before)} b
        order by ${keys} limit ${SHOWN}
      )
      select to_jsonb(different) as key, to_jsonb(a) as before, to_jsonb(b) as after from different
      left join (select ${columnsOf(model)} from ${before}) a using (${keys})
      left join (select ${columnsOf(model)} from ${after}) b using (${keys})
      order by ${keys}`,
    values: [],
  });
  return found.map(({ key, before: a, after: b }) => {
    const isShown = (name: string) =>
      !names.includes(name) && (a === null || b === null || JSON.stringify(a[name]) !== JSON.stringify(b[name]));
    const shown = (row: Columns | null) =>
      row && Object.fromEntries(Object.entries(row).filter(([name]) => isShown(name)));
    return { key, before: shown(a), after: shown(b) };
  });
}
