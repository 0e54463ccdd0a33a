import type { Aggregate } from '@ledgerline/contracts/aggregates/aggregate';
import { UNIT_FIELDS, type SessionField, type Unit } from '@ledgerline/contracts/read-models/session-days';
import { columnOfKey, countsIn, figuresOfMeasures, isBucket, isLookedUp, marksOf, readBy } from './aggregate-terms';
import { intersectMasks, take, rowsWhere } from './columns';
import { evaluateRollup, rollupNames, rollupPlan } from './evaluate-rollup';
import { groupsByValue, groupRepresentatives } from './groups';
import { isSessionField, itemSource, perSession, type RowSet } from './row-sources';
import type { CountScope, CountRequest } from './scope';
import { type ColumnTable, tableColumn, mapRecordValues, rowsAt } from './tables';

/** The columns that an aggregate reads, beside the fields that filters are about. */
export interface ColumnReads {
  readonly fields: readonly SessionField[];
  readonly units: readonly Unit[];
  /** The names of the rollups from which it follows, too; undefined = it does not. */
  readonly rollups: readonly string[] | undefined;
  /** True if it looks up the domains of links, unless it follows from rollups. */
  readonly readsLinkDomains: boolean;
}

export function readsOfAggregate(aggregate: Aggregate): ColumnReads {
  const { units, fields, ofSessions } = readBy(aggregate);
  const source = sourceOf(aggregate, fields);
  const plan = rollupPlan(aggregate);
  return {
    units: [...source.units, ...units],
    fields: [...(source.fields ?? []), ...ofSessions],
    rollups: plan && rollupNames(plan),
    readsLinkDomains: Object.values(aggregate.by ?? {}).some(isLookedUp),
  };
}

/** A row for each group of the items of an aggregate. */
export function evaluateAggregate(aggregate: Aggregate, scope: CountScope): ColumnTable {
  const { by = {}, where, only, measures } = aggregate;
  const plan = scope.rollups && rollupPlan(aggregate);
  if (scope.rollups && plan) return withEnough(evaluateRollup(plan, scope, scope.rollups), aggregate, scope.request);
  const items = sourceOf(aggregate, readBy(aggregate).fields).of(scope);
  const keys = mapRecordValues(by, (key) => columnOfKey(key, items));
  const isIn = [where, only].reduce(
    (marks, each) => (each ? intersectMasks(marks, marksOf(each, items)) : marks),
    items.isIn,
  );
  const groups = groupsByValue(Object.values(keys), items.size, isIn);
  const figures = figuresOfMeasures(measures, groups, items);
  if (Object.keys(by).length === 0)
    return { size: 1, columns: mapRecordValues(figures, (column) => column.subarray(0, 1)) };
  const rows = rowsWhere(countsIn(groups, items).subarray(0, -1));
  const samples = groups.isByValue ? undefined : take(groupRepresentatives(groups), rows);
  const named = mapRecordValues(keys, (column) => new Float64Array(samples ? take(column, samples) : rows));
  const shown = { ...named, ...mapRecordValues(figures, (column) => take(column, rows)) };
  return withEnough({ size: rows.length, columns: shown }, aggregate, scope.request);
}

/** The items of an aggregate, whatever it has by sessions. */
export const itemsOf = ({ of }: Pick<Aggregate, 'of'>, scope: CountScope): RowSet => itemSource(of).of(scope);

const sourceOf = (aggregate: Aggregate, fields: readonly string[]) =>
  isOfSessions(aggregate, fields) ? perSession(aggregate.of) : itemSource(aggregate.of);

/** Returns whether an aggregate is counted by session, as fields of whole sessions are: there are fewer of them. */
const isOfSessions = (
  aggregate: Aggregate,
  fields: readonly string[],
): aggregate is Aggregate & { readonly of: Unit } =>
  isUnit(aggregate.of) &&
  fields.every(isSessionField) &&
  Object.values(aggregate.by ?? {}).every((key) => typeof key === 'string') &&
  Object.values(aggregate.measures).every((measure) => typeof measure === 'string');

/** Returns whether the rows of an aggregate are units, and not sessions or steps. */
export const isUnit = (of: Aggregate['of']): of is Unit => of in UNIT_FIELDS;

/** Without the groups of less than the minimum; a series keeps them, without percentiles. */
function withEnough(
  table: ColumnTable,
  { by = {}, measures, enough }: Aggregate,
  { minSamples }: CountRequest,
): ColumnTable {
  if (enough === undefined) return table;
  const counts = tableColumn(table, enough);
  if (!Object.values(by).some(isBucket))
    return rowsAt(table, rowsWhere(Uint8Array.from(counts, (count) => (count >= minSamples ? 1 : 0))));
  const percentiles = Object.keys(measures).filter((name) => isPercentile(measures[name]));
  const known = percentiles.map((name) => {
    const values = tableColumn(table, name).map((value, row) => ((counts[row] ?? 0) >= minSamples ? value : NaN));
    return [name, values] as const;
  });
  return { ...table, columns: { ...table.columns, ...Object.fromEntries(known) } };
}

const isPercentile = (measure: Aggregate['measures'][string] | undefined): boolean =>
  typeof measure === 'object' && 'percentile' in measure;
