import { schemaOf, type Group, type GroupSchema } from '@ledgerline/contracts/read-models/groups';
import { keptCounts } from '@ledgerline/contracts/read-models/kept-counts';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { differing, either } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import { declarationOf, isAlike, readStoredTables } from '@ledgerline/platform/database/table-declaration';
import { readLayout, versionOf } from '@ledgerline/platform/table-versions/group-layout';
import { compareKept } from './compare-kept';
import { SHOWN, withoutSame, type Columns, type Difference, type TablePair } from './difference';

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

/** None for a table that is not compared, even by what its rows add up to. */
export function pairsOf(
  group: Group,
  model: ReadModel,
  before: number,
  after: number,
  declared: { readonly columns: object } = model,
): readonly TablePair[] {
  if (model.isCompared === false && model.name !== keptCounts.name) return [];
  const columns = Object.entries(model.columns).filter(([name, { isCompared }]) => {
    return isCompared !== false && name in declared.columns;
  });
  const tableOf = (version: number) => identifier(schemaOf(group, version), model.name).text;
  return [
    { model: { ...model, columns: Object.fromEntries(columns) }, before: tableOf(before), after: tableOf(after) },
  ];
}

/** Compares tables row for row, or by what their rows add up to; nothing = they are equal. */
export async function compareTables(on: Queryable, pairs: readonly TablePair[]): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { model, before, after } of pairs) {
    if (model.name === keptCounts.name) differences.push(...(await compareKept(on, { model, before, after })));
    else if (!(await isSame(on, { model, before, after })))
      differences.push({ table: model.name, ...(await differentRows(on, { model, before, after })) });
  }
  return differences;
}

const isSame = async (on: Queryable, { model, before, after }: TablePair): Promise<boolean> =>
  (await fingerprint(on, model, before)) === (await fingerprint(on, model, after));

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

/** How many rows of each table the other one has not, and the first of them. */
async function differentRows(on: Queryable, { model, before, after }: TablePair): Promise<Omit<Difference, 'table'>> {
  const { names, keys } = mergeRolesOf(model);
  const list = (columns: readonly string[]) => columns.map((name) => identifier(name).text).join(', ');
  const rowsOf = (table: string) => `select ${list(names)} from ${table}`;
  const [first = ''] = keys.map((name) => identifier(name).text);
  const order = keys.map(either).join(', ');
  const found = await run<{ onlyBefore: number; onlyAfter: number; before: Columns | null; after: Columns | null }>(
    on,
    {
      text: `select count(s.${first}) over ()::integer as "onlyBefore", count(e.${first}) over ()::integer as "onlyAfter",
        to_jsonb(s) as before, to_jsonb(e) as after
      ${differing({ keys, expected: rowsOf(after), stored: rowsOf(before) })} order by ${order} limit ${SHOWN}`,
      values: [],
    },
  );
  const { onlyBefore = 0, onlyAfter = 0 } = found[0] ?? {};
  const rows = found.map(({ before: a, after: b }) => {
    const pick = (row: Columns | null, isKey: boolean) =>
      row && Object.fromEntries(Object.entries(row).filter(([name]) => keys.includes(name) === isKey));
    return { key: pick(a ?? b, true) ?? {}, ...withoutSame(pick(a, false), pick(b, false)) };
  });
  return { onlyBefore, onlyAfter, rows };
}
