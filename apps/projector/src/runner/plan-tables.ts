import type { GroupSchema } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { covers, declarationOf, type StoredTable } from '@ledgerline/platform/database/table-declaration';
import { versionOf, type GroupLayout, type TablePlace } from '@ledgerline/platform/table-versions/group-layout';
import { isSameTable } from './resolve-tables';

/** What has to be filled for the tables of a program to answer. */
export interface TablePlan {
  /** Without what is pending. */
  readonly tables: Readonly<Record<string, TablePlace>>;
  /** The models whose tables are missing, or of another program. */
  readonly wanted: readonly ReadModel[];
}

/**
 * Compares the tables that answer with those of a program that starts. The table before one of another program answers
 * again if it is this program's, as it was written along. What this program cannot write is frozen: its rows would lack
 * events from now on.
 */
export function planTables(group: GroupSchema, layout: GroupLayout, stored: readonly StoredTable[]): TablePlan {
  const find = (name: string, version: number | undefined) =>
    stored.find((table) => table.name === name && table.version === version)?.declaration;
  const tables: Record<string, TablePlace> = {};
  const different: ReadModel[] = [];
  for (const model of group.builds) {
    const [name, own] = [model.name, declarationOf(model)];
    const { version = layout.version, previous, isFrozen } = layout.tables[name] ?? {};
    const [answering, before] = [find(name, version), find(name, previous)];
    const isKept = answering !== undefined && covers(own, answering);
    if (isFrozen || !(isSameTable(answering, own) || isSameTable(before, own))) {
      different.push(model);
      const frozen = isFrozen || (answering !== undefined && !isKept);
      tables[name] = frozen ? { version, isFrozen: true } : { version, previous };
    } else if (isSameTable(answering, own)) tables[name] = { version, previous };
    else tables[name] = { version: previous, previous: isKept ? version : undefined };
  }
  const wanted = withThose(group, different);
  if (isWhole(group, wanted)) return { tables: layout.tables, wanted };
  for (const { name, version, declaration } of stored) {
    const answers = declaration !== undefined && version === versionOf(layout, name);
    if (answers && !group.builds.some((model) => model.name === name)) tables[name] = { version, isFrozen: true };
  }
  return { tables, wanted };
}

/** With those that change together with them: all, if it is what computing reads. */
export const withThose = ({ builds, state }: GroupSchema, models: readonly ReadModel[]): readonly ReadModel[] =>
  models.some((model) => state.includes(model)) ? builds : builds.filter((model) => models.includes(model));

/** Whether a version with these tables replaces the live one, instead of some of its tables. */
export const isWhole = ({ state }: GroupSchema, models: readonly ReadModel[]): boolean =>
  models.some((model) => state.includes(model));
