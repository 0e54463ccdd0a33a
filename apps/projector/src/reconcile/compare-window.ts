import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { compareRows, type Scope } from '@ledgerline/platform/database/compare-rows';
import type { Queryable } from '@ledgerline/platform/database/pool';
import type { IsClosed } from '../projections/websites/rollup';
import { countedIn, type WrittenTables } from '../projections/written-tables';
import type { ExpectedRollups, WebsiteWindow } from './expected-rollups';
import { sumByDay, type TableDifference } from './findings';
import { answeringTable } from './live-partition';

interface Comparing {
  readonly tables: WrittenTables;
  readonly of: WebsiteWindow;
  readonly isClosed: IsClosed;
}

/** Compares the rollups of some days, in blocks of a single day, with what follows from sessions and facts. */
export async function compareWindow(
  on: Queryable,
  expected: ExpectedRollups,
  { tables, of, isClosed }: Comparing,
): Promise<TableDifference[]> {
  const differences: TableDifference[] = [];
  for (const [model, rows] of expected.tables(isClosed)) {
    const answering = answeringTable(tables, model);
    if (!answering) continue;
    const scope = scopeOf(model, of);
    const by = 'hour' in model.columns ? 'hour' : 'day';
    const found = await compareRows(on, { ...answering, scope, by }, countedIn(answering.model, model, rows));
    differences.push(...sumByDay(model.name, found, (at) => (by === 'hour' ? of.calendar.day(at) : at)));
  }
  return differences;
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
