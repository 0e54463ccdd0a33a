import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { FIFTEEN_MINUTES_MS } from '@ledgerline/domain/time/fifteen-minutes';
import { compareQueries, days, differing, either, milliseconds } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { mergeRolesOf } from '@ledgerline/platform/database/read-model-rows';
import { identifier } from '@ledgerline/platform/database/sql';
import type { TableTarget } from '../projections/written-tables';
import { sumByDay, type TableDifference } from './findings';
import { Replay } from './replay';
import { timeColumn } from './signatures';

/** Which rows of a table are those of one subject. */
export interface SubjectRows extends TableTarget {
  /** The model with all columns. */
  readonly replayed: ReadModel;
  /** The column of the subject, and what it holds there. */
  readonly column: string;
  readonly value: string | number;
}

/** In SQL; those of a table that lacks columns are without rows that only these would count in. */
const replayedRows = ({ replayed, model }: SubjectRows, columns: string, join = '') =>
  `select ${columns} from ${Replay.tableOf(replayed)} t${join}${replayed === model ? '' : isSomething(model)}`;

function isSomething(model: ReadModel): string {
  const { sums, mins, maxes, lasts, histograms } = mergeRolesOf(model);
  if (mins.length + maxes.length + lasts.length > 0) return '';
  const some = [...sums.map((name) => `${quoted(name)} <> 0`), ...histograms.map((name) => `${quoted(name)} <> '{}'`)];
  return ` where ${some.join(' or ')}`;
}

/** The table of the keys of rows that differ, quoted. */
export const differingKeys = ({ schema, model }: SubjectRows) => identifier(`differing ${schema}.${model.name}`).text;

/**
 * Compares the rows of a subject with the replayed ones, day by day, and keeps the keys of those that differ in a
 * temporary table.
 */
export async function findDiffering(
  on: Queryable,
  rows: SubjectRows,
  dayOf: (at: number) => number,
): Promise<readonly TableDifference[]> {
  const { schema, model, column, value } = rows;
  const { keys } = mergeRolesOf(model);
  const compared = Object.keys(model.columns).filter((name) => model.columns[name]?.isCompared !== false);
  const queries = {
    keys,
    expected: replayedRows(rows, list(compared)),
    stored: `select ${list(compared)} from ${identifier(schema, model.name).text} where ${quoted(column)} = $1`,
    values: [value],
  };
  const time = timeOf(model);
  const found = await compareQueries(on, { ...queries, at: time.sql });
  if (found.length > 0) {
    const selected = keys.map((name) => `${either(name)} as ${quoted(name)}`);
    const text = `create temp table ${differingKeys(rows)} as select ${selected.join(', ')} ${differing(queries)}`;
    await run(on, { text, values: [value] });
  }
  return sumByDay(model.name, found, time.isDay ? (day) => day : dayOf);
}

/** Replaces the rows whose keys {@link findDiffering} kept. */
export async function replaceDiffering(on: Queryable, rows: SubjectRows): Promise<void> {
  const { schema, model } = rows;
  const { keys, names } = mergeRolesOf(model);
  const table = identifier(schema, model.name).text;
  const same = keys.map((name) => `t.${quoted(name)} = differing.${quoted(name)}`).join(' and ');
  await run(on, { text: `delete from ${table} t using ${differingKeys(rows)} differing where ${same}`, values: [] });
  const replayed = replayedRows(rows, list(names), ` join ${differingKeys(rows)} differing using (${list(keys)})`);
  await run(on, { text: `insert into ${table} (${list(names)}) ${replayed}`, values: [] });
}

/** The day of a row, or else its 15 minutes, in which the days of all time zones begin; 1970 in a table without times. */
function timeOf(model: ReadModel): { readonly sql: string; readonly isDay: boolean } {
  const { name, type } = timeColumn(model) ?? {};
  if (!name) return { sql: '0::float8', isDay: true };
  if (type === 'date') return { sql: days(name), isDay: true };
  return { sql: `floor(${milliseconds(name)} / ${FIFTEEN_MINUTES_MS}) * ${FIFTEEN_MINUTES_MS}`, isDay: false };
}

const quoted = (name: string) => identifier(name).text;
const list = (names: readonly string[]) => names.map(quoted).join(', ');
