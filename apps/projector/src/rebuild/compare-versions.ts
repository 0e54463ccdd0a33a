import { type RollupDifference, rollupDifferences } from '@ledgerline/aggregation/aggregation';
import { ROLLUPS } from '@ledgerline/contracts/aggregates/website-aggregates';
import { websiteRollups } from '@ledgerline/contracts/aggregates/website-rollups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type Group, type GroupSchema, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { differingRowsSql, eitherRowColumn } from '@ledgerline/platform/database/compare-rows';
import { type Queryable, run } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { declarationOf, isAlike, readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { identifier } from '@ledgerline/platform/database/sql';
import { readLayout, tableVersionOf } from '@ledgerline/platform/table-versions/live-tables';
import { readStoredRollups } from '../compaction/stored-rollups';
import { keptRows } from '../monitors/kept-results';
import { type ChangedText, findChangedTexts } from '../projections/websites/dictionary';
import type { BoundGroup } from '../runner/bound-group';

/** A table that differs between two versions, with the number of rows only one of them has. */
export interface Difference {
  readonly table: string;
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  /** The first of them. */
  readonly rows: readonly DifferentRow[];
}

/** A row of both versions, by its key; null = the version has none. Values as Postgres writes them as JSON. */
interface DifferentRow {
  readonly key: Columns;
  /** Only the columns that differ, if both have the row. */
  readonly before: Columns | null;
  readonly after: Columns | null;
}

type Columns = Readonly<Record<string, unknown>>;

/** A table that was compared; rows of kept counts are compared by what they add up to. */
export interface ComparedTable {
  readonly table: string;
  /** The rows of the version that was filled. */
  readonly rows: number;
}

/** A table of two versions, or the rows of it that are compared, and the columns. */
interface TablePair {
  readonly model: ReadModel;
  readonly before: string;
  readonly after: string;
}

/** So many differing rows are shown of each table. */
const SHOWN = 5;

/** Returns of a row of both versions only what differs. */
function withoutSame(before: Columns | null, after: Columns | null) {
  if (!before || !after) return { before, after };
  const differ = (name: string) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  const pick = (row: Columns) => Object.fromEntries(Object.entries(row).filter(([name]) => differ(name)));
  return { before: pick(before), after: pick(after) };
}

/** Counts how many rows differ in each table, and the first of them with both values. */
export const describeDifferences = (differences: readonly Difference[]): string =>
  differences.flatMap((each) => [countDifference(each), ...each.rows.map(describeRow)]).join('\n');

/** Counts how many rows differ in a table, without what they hold. */
export const countDifference = ({ table, onlyBefore, onlyAfter }: Difference): string =>
  `  ${table}: ${onlyBefore} rows only in the live version, ${onlyAfter} only in the rebuilt one`;

function describeRow({ key, before, after }: DifferentRow): string {
  return `    ${listed(key)}: live ${describeValues(before)} · rebuilt ${describeValues(after)}`;
}

/** The columns of a row for people, without the ends of long values. */
export const describeValues = (row: DifferentRow['before']): string => (row === null ? 'no row' : listed(row));

const MAX_TEXT = 60;

function listed(columns: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(columns).map(([name, value]) => {
    const text = JSON.stringify(value);
    return `${name} ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text}`;
  });
  return texts.length === 0 ? 'a row' : texts.join(', ');
}

/**
 * Returns which of these tables of a version can be compared with those that answer: those of the same meaning, by the
 * columns that both have. None where what computing reads means something else.
 */
export async function comparableTables(
  on: Queryable,
  group: GroupSchema,
  models: readonly ReadModel[],
  version: number,
): Promise<readonly TablePair[]> {
  const layout = await readLayout(on, group.name);
  const stored = await readStoredTables(on, group.name);
  if (!layout) return [];
  const declaredBefore = (model: ReadModel) => {
    const answers = tableVersionOf(layout, model.name);
    const found = stored.find((table) => table.name === model.name && table.version === answers)?.declaration;
    return found && !layout.tables[model.name]?.isFrozen && isAlike(found, declarationOf(model)) ? found : undefined;
  };
  if (!group.state.every(declaredBefore)) return [];
  return models.flatMap((model) => {
    const declared = declaredBefore(model);
    return declared ? pairsOf(group.name, model, tableVersionOf(layout, model.name), version, declared) : [];
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
  if (model.isCompared === false && model.name !== websiteRollups.name) return [];
  const columns = Object.entries(model.columns).filter(([name, { isCompared }]) => {
    return isCompared !== false && name in declared.columns;
  });
  const tableOf = (version: number) => keptRows(model, identifier(schemaOf(group, version), model.name).text);
  return [
    { model: { ...model, columns: Object.fromEntries(columns) }, before: tableOf(before), after: tableOf(after) },
  ];
}

/**
 * Compares tables row for row, or by what their rows add up to; nothing = they are equal. `onTable` is called after each
 * with the number of rows that it should have.
 */
export async function compareTables(
  on: Queryable,
  pairs: readonly TablePair[],
  onTable?: (compared: ComparedTable) => void,
): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const { model, before, after } of pairs) {
    const live = await fingerprint(on, model, before);
    const filled = await fingerprint(on, model, after);
    if (model.name === websiteRollups.name) differences.push(...(await compareKept(on, { model, before, after })));
    else if (live.rows !== filled.rows || live.hash !== filled.hash)
      differences.push({ table: model.name, ...(await differentRows(on, { model, before, after })) });
    onTable?.({ table: model.name, rows: Number(filled.rows) });
  }
  return differences;
}

/** The number of rows and the sum of their hashes, whatever their order. */
export async function fingerprint(on: Queryable, model: ReadModel, table: string): Promise<Fingerprint> {
  const hashable = Object.entries(model.columns).map(([name, { type }]) => {
    const column = identifier(name).text;
    return type === 'tsvector' ? `${column}::text` : column;
  });
  const hash = `hash_record_extended(row(${hashable.join(', ')}), 0)`;
  const text = `select count(*)::text as rows, sum(${hash})::text as hash from ${table}`;
  const [row] = await run<Fingerprint>(on, { text, values: [] });
  return row ?? { rows: '0', hash: null };
}

interface Fingerprint {
  readonly rows: string;
  readonly hash: string | null;
}

/** Counts how many rows of each table the other one has not, and the first of them. */
async function differentRows(on: Queryable, { model, before, after }: TablePair): Promise<Omit<Difference, 'table'>> {
  const { names, keys } = mergeRolesOf(model);
  const list = (columns: readonly string[]) => columns.map((name) => identifier(name).text).join(', ');
  const rowsOf = (table: string) => `select ${list(names)} from ${table}`;
  const [first = ''] = keys.map((name) => identifier(name).text);
  const order = keys.map(eitherRowColumn).join(', ');
  const found = await run<{ onlyBefore: number; onlyAfter: number; before: Columns | null; after: Columns | null }>(
    on,
    {
      text: `select count(s.${first}) over ()::integer as "onlyBefore", count(e.${first}) over ()::integer as "onlyAfter",
        to_jsonb(s) as before, to_jsonb(e) as after
      ${differingRowsSql({ keys, expected: rowsOf(after), stored: rowsOf(before) })} order by ${order} limit ${SHOWN}`,
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

/** Bytes of packs of websites that are compared together, about; a website with more is compared alone. */
const AT_ONCE = 4 * 2 ** 20;

/** Compares what the packs of two tables add up to, column by column. */
async function compareKept(on: Queryable, { model, before, after }: TablePair): Promise<Difference[]> {
  const differences: Difference[] = [];
  const portions = await websitesOf(on, before, after);
  for (const count of ROLLUPS) {
    if (!(count.name in model.columns)) continue;
    const rows: RollupDifference[] = [];
    let onlyBefore = 0;
    let onlyAfter = 0;
    for (const websites of portions) {
      const expected = await readStoredRollups(on, after, count, websites);
      const found = await readStoredRollups(on, before, count, websites);
      for (const row of rollupDifferences(count, expected, found)) {
        if (row.found) onlyBefore++;
        if (row.expected) onlyAfter++;
        if (rows.length < SHOWN) rows.push(row);
      }
    }
    if (rows.length === 0) continue;
    const shown = rows.map(({ website, day, key, expected, found }) => {
      return { key: { website, day, ...key }, ...withoutSame(found, expected) };
    });
    differences.push({ table: `${model.name}.${count.name}`, onlyBefore, onlyAfter, rows: shown });
  }
  return differences;
}

/** The websites of both tables, in portions that are compared together. */
async function websitesOf(on: Queryable, ...tables: readonly string[]): Promise<readonly (readonly number[])[]> {
  const each = tables.map((table) => `select website, size from ${table}`).join(' union all ');
  const text = `select website, sum(size)::float8 as size from (${each}) both_tables group by website order by website`;
  const portions: number[][] = [];
  let bytes = Infinity;
  for (const { website, size } of await run<{ website: number; size: number }>(on, { text, values: [] })) {
    bytes += size;
    if (bytes <= AT_ONCE) portions.at(-1)?.push(website);
    else {
      portions.push([website]);
      bytes = size;
    }
  }
  return portions;
}

interface ComparedTexts {
  /** The texts that are not those of their hashes. */
  readonly changed: Difference | undefined;
  /** The texts that were not, and got those of the log. */
  readonly mended: Difference | undefined;
}

/** Compares all texts with their hashes, and with those of the log that the events of a rebuild had. */
export async function compareTexts({ pool, dictionary }: BoundGroup): Promise<ComparedTexts> {
  if (!dictionary) return { changed: undefined, mended: undefined };
  const found = (await findChangedTexts(pool, null)).map((each) => dictionary.changed.get(each.id) ?? each);
  const still = new Set(found.map(({ id }) => id));
  const mended = [...dictionary.changed.values()].filter(({ id }) => !still.has(id));
  return { changed: differenceOf(found), mended: differenceOf(mended) };
}

function differenceOf(texts: readonly ChangedText[]): Difference | undefined {
  if (texts.length === 0) return undefined;
  const rows = texts.slice(0, SHOWN).map(({ id, scope, text, found }) => ({
    key: { id, scope },
    before: { text: found },
    after: text === null ? null : { text },
  }));
  const onlyAfter = texts.filter(({ text }) => text !== null).length;
  return { table: 'dictionary', onlyBefore: texts.length, onlyAfter, rows };
}
