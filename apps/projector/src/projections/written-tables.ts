import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { addsSomething, mergeRolesOf, type Row } from '@ledgerline/platform/database/read-model-rows';
import { upsert } from '@ledgerline/platform/database/read-model-upsert';
import type { Sql } from '@ledgerline/platform/database/sql';

/** A table that rows of a model are written to. */
export interface TableTarget {
  readonly schema: string;
  /** With the columns that the table has: one of an earlier program may lack some. */
  readonly model: ReadModel;
}

/** The tables that one version of a group writes. */
export interface WrittenTables {
  /** The schema of the tables that computing reads. */
  readonly state: string;
  /** None for a model that is not in this version; two where the table that answered before is written along. */
  targetsOf(model: ReadModel): readonly TableTarget[];
}

/** All tables in one schema. */
export const tablesIn = (schema: string): WrittenTables => ({
  state: schema,
  targetsOf: (model) => [{ schema, model }],
});

/** A statement for each table that rows of a model are written to. */
export const writeTo = (
  tables: WrittenTables,
  model: ReadModel,
  statement: (schema: string, model: ReadModel) => Sql | undefined,
): Sql[] => tables.targetsOf(model).flatMap((target) => statement(target.schema, target.model) ?? []);

/** The rows of a model that a table has which may lack some of the columns. */
export const countedIn = (its: ReadModel, model: ReadModel, rows: readonly Row[]): readonly Row[] =>
  its === model ? rows : rows.filter((row) => countsIn(its, row));

/** Merges rows, one per key. A table without some of the columns gets no rows that only these would count in. */
export const upsertInto = (tables: WrittenTables, model: ReadModel, rows: readonly Row[]): Sql[] =>
  tables.targetsOf(model).flatMap(({ schema, model: its }) => {
    const counting = countedIn(its, model, rows);
    return counting.length === 0 ? [] : [upsert(schema, its, counting)];
  });

function countsIn(model: ReadModel, row: Row): boolean {
  const roles = mergeRolesOf(model);
  const isOnlyCounted = roles.mins.length + roles.maxes.length + roles.lasts.length === 0;
  return !isOnlyCounted || addsSomething(row, roles);
}
