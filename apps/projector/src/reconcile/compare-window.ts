import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareRows, deleteWithin, type RowDifference, type Scope } from '@ledgerline/platform/database/compare-rows';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import type { Row } from '@ledgerline/platform/database/read-model-rows';
import type { IsClosed } from '../projections/websites/rollup';
import { countedIn, upsertInto, writeTo, type WrittenTables } from '../projections/written-tables';
import type { ExpectedRollups, WebsiteWindow } from './expected-rollups';
import { answeringTable } from './live-partition';

interface Comparing {
  readonly tables: WrittenTables;
  readonly of: WebsiteWindow;
  readonly isClosed: IsClosed;
  /** Whether rows that differ are replaced by those that are expected. */
  readonly replace: boolean;
}

/** Rows of a table on a day that differ from what follows from sessions and facts. */
export interface TableDifference extends RowDifference {
  readonly table: string;
  readonly day: number;
}

/** Compares the rollups of some days, in blocks of a single day, with what follows from sessions and facts. */
export async function compareWindow(
  on: Queryable,
  expected: ExpectedRollups,
  { tables, of, isClosed, replace }: Comparing,
): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const [model, rows] of expected.tables(isClosed)) {
    const answering = answeringTable(tables, model);
    if (!answering) continue;
    const scope = scopeOf(model, of);
    const by = 'hour' in model.columns ? 'hour' : 'day';
    const found = await compareRows(on, { ...answering, scope, by }, countedIn(answering.model, model, rows));
    for (const { at, ...difference } of found) {
      const day = by === 'hour' ? of.calendar.day(at) : at;
      differences.push({ table: model.name, day, ...difference });
    }
    if (replace && found.length > 0) {
      await replaceWithin(on, tables, model, scope, rows);
    }
  }
  return differences;
}

/** Replaces rows of a table, and of the one that is written along with it. */
export async function replaceWithin(
  on: Queryable,
  tables: WrittenTables,
  model: ReadModel,
  scope: Scope,
  rows: readonly Row[],
): Promise<void> {
  const statements = [
    ...writeTo(tables, model, (schema) => deleteWithin(schema, model, scope)),
    ...(rows.length > 0 ? upsertInto(tables, model, rows) : []),
  ];
  for (const statement of statements) await run(on, statement);
}

const scopeOf =
  ({ columns }: ReadModel, { website, since, until, begin, end }: WebsiteWindow): Scope =>
  (bind) => {
    const own = `website = ${bind(website)}::integer`;
    if ('hour' in columns) {
      return `${own} and hour >= ${bind(new Date(begin))}::timestamptz and hour < ${bind(new Date(end))}::timestamptz`;
    }
    const days = [since, until].map((day) => `'1970-01-01'::date + ${bind(day)}::integer`);
    return `${own}${'span' in columns ? ' and span = 1' : ''} and day between ${days.join(' and ')}`;
  };
