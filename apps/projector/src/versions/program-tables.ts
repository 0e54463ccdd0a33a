import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type GroupSchema, schemaOf } from '@ledgerline/contracts/read-models/registry';
import type { Queryable } from '@ledgerline/platform/database/pool';
import {
  type StoredTable,
  type TableDeclaration,
  covers,
  declarationOf,
  isSame,
  readStoredTables,
} from '@ledgerline/platform/database/read-model-tables';
import {
  readLayout,
  tableVersionOf,
  type GroupLayout,
  type TablePlace,
} from '@ledgerline/platform/table-versions/live-tables';
import { programWith } from '@ledgerline/platform/table-versions/program';
import { tablesAt, type WrittenTables } from '../projections/projection-group';

/** The tables that this program writes of a version, and the layout in which that is so. */
export interface ResolvedTables {
  readonly version: number;
  readonly layout: string;
  readonly tables: WrittenTables;
}

/** This program cannot write tables that answer: they mean something else, or have columns that it does not know. */
export class TablesOfAnotherProgram extends Error {
  constructor(group: string, version: number) {
    super(`Another program made tables of ${group} version ${version}; this one does not write them.`);
    this.name = 'TablesOfAnotherProgram';
  }
}

type TableSet = Pick<GroupLayout, 'version' | 'tables'>;

/**
 * The tables of a version: of the live one or the one before those of its layout, of another one those in its schema.
 * @throws TablesOfAnotherProgram where it is the live one, and another program is to write it
 */
export async function resolveTables(
  on: Queryable,
  group: GroupSchema,
  wanted: number | 'live',
): Promise<ResolvedTables> {
  const layout = await readLayout(on, group.name);
  return resolveIn(on, group, layout, wanted);
}

/**
 * The tables of this build: the live ones, or those that answered before another one switched to its own, which this one
 * goes on writing until it ends. @throws TablesOfAnotherProgram
 */
export async function resolveOwnTables(on: Queryable, group: GroupSchema): Promise<ResolvedTables> {
  const layout = await readLayout(on, group.name);
  const previous = layout?.previous;
  const isFormer = previous?.program === programWith(group.builds);
  return resolveIn(on, group, layout, previous && isFormer ? previous.version : 'live');
}

async function resolveIn(
  on: Queryable,
  group: GroupSchema,
  layout: GroupLayout | undefined,
  wanted: number | 'live',
): Promise<ResolvedTables> {
  if (!layout)
    throw new RangeError(`The group ${group.name} has no version yet; the projector makes it on its first start.`);
  const set = setOf(layout, wanted === 'live' ? layout.version : wanted);
  const stored = await readStoredTables(on, group.name);
  const answers = set.version === layout.version || set.version === layout.previous?.version;
  if (!(answers ? isWritable(group, set, stored) : isOwn(group, set.version, stored)))
    throw new TablesOfAnotherProgram(group.name, set.version);
  const targets = new Map(group.builds.map((model) => [model.name, targetsOf(group, model, set, stored)]));
  return { version: set.version, layout: layout.id, tables: tablesAt(schemaOf(group.name, set.version), targets) };
}

const setOf = (layout: GroupLayout, version: number): TableSet => {
  const known = [layout, ...(layout.previous ? [layout.previous] : [])].find((set) => set.version === version);
  return known ?? { version, tables: {} };
};

/** Returns whether this program can go on with all tables that answer in a set, so that none of them lacks an event. */
export function isWritable(group: GroupSchema, set: TableSet, stored: readonly StoredTable[]): boolean {
  const own = new Map(group.builds.map((model) => [model.name, declarationOf(model)]));
  const state = group.state.map(({ name }) => name);
  const answering = stored.filter(({ name, version }) => version === tableVersionOf(set, name));
  const found = new Map(answering.map((table) => [table.name, table.declaration]));
  const hasState = state.every((name) => isSameTable(found.get(name), own.get(name)));
  return (
    hasState &&
    answering.every(({ name, declaration }) => {
      if (declaration === undefined || set.tables[name]?.isFrozen) return true;
      const its = own.get(name);
      return its !== undefined && covers(its, declaration);
    })
  );
}

/** Returns whether all tables in the schema of a version are those that this program declares. */
export const isOwn = (
  { builds }: Pick<GroupSchema, 'builds'>,
  version: number,
  stored: readonly StoredTable[],
): boolean =>
  stored.every(({ name, version: its, declaration }) => {
    const model = builds.find((each) => each.name === name);
    return (
      its !== version || declaration === undefined || (model !== undefined && isSame(declarationOf(model), declaration))
    );
  });

export const isSameTable = (a: TableDeclaration | undefined, b: TableDeclaration | undefined): boolean =>
  a !== undefined && b !== undefined && isSame(a, b);

/** The one that answers first. */
function targetsOf({ name: group }: GroupSchema, model: ReadModel, set: TableSet, stored: readonly StoredTable[]) {
  const place = set.tables[model.name];
  if (place?.isFrozen) return [];
  const versions = [place?.version ?? set.version, ...(place?.previous === undefined ? [] : [place.previous])];
  return versions.flatMap((version) => {
    const table = stored.find((each) => each.version === version && each.name === model.name);
    if (!table?.declaration || !covers(declarationOf(model), table.declaration)) return [];
    const its = withColumnsOf(model, table.declaration);
    return [{ schema: schemaOf(group, version), model: its }];
  });
}

const trimmed = new WeakMap<TableDeclaration, ReadModel>();

function withColumnsOf(model: ReadModel, declaration: TableDeclaration): ReadModel {
  if (isSame(declarationOf(model), declaration)) return model;
  let known = trimmed.get(declaration);
  if (!known) {
    const columns = Object.entries(model.columns).filter(([name]) => name in declaration.columns);
    trimmed.set(declaration, (known = { ...model, columns: Object.fromEntries(columns), indexes: [] }));
  }
  return known;
}

/** The tables that have to be filled for the tables of a program to answer. */
interface TablePlan {
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
  const declared = (name: string, version: number | undefined) =>
    stored.find((table) => table.name === name && table.version === version)?.declaration;
  const tables: Record<string, TablePlace> = {};
  const different: ReadModel[] = [];
  for (const model of group.builds) {
    const { name } = model;
    const { version = layout.version, previous, isFrozen } = layout.tables[name] ?? {};
    const place: TablePlace = { version, previous, ...(isFrozen && { isFrozen }) };
    const answering = declared(name, version);
    const own = ownPlace(declarationOf(model), place, answering, declared(name, previous));
    if (!own) different.push(model);
    tables[name] = own ?? withoutOwn(declarationOf(model), place, answering);
  }
  const wanted = withThose(group, different);
  if (replacesLiveVersion(group, wanted)) return { tables: layout.tables, wanted };
  for (const { name, version, declaration } of stored) {
    const answers = declaration !== undefined && version === tableVersionOf(layout, name);
    if (answers && !group.builds.some((model) => model.name === name)) tables[name] = { version, isFrozen: true };
  }
  return { tables, wanted };
}

type Declaration = ReturnType<typeof declarationOf>;

/** The place where this program's table answers: where it does already, or did before; undefined where there is none. */
function ownPlace(
  own: Declaration,
  { version, previous, isFrozen }: TablePlace,
  answering: StoredTable['declaration'],
  before: StoredTable['declaration'],
): TablePlace | undefined {
  if (isFrozen) return undefined;
  if (isSameTable(answering, own)) return { version, previous };
  if (!isSameTable(before, own)) return undefined;
  return { version: previous, previous: answering !== undefined && covers(own, answering) ? version : undefined };
}

/** The place of a table that answers until this program's is filled; frozen where this program cannot write it. */
function withoutOwn(
  own: Declaration,
  { version, previous, isFrozen }: TablePlace,
  answering: StoredTable['declaration'],
): TablePlace {
  const isLost = isFrozen || (answering !== undefined && !covers(own, answering));
  return isLost ? { version, isFrozen: true } : { version, previous };
}

/** With those that change together with them: all, if it is what computing reads. */
export const withThose = ({ builds, state }: GroupSchema, models: readonly ReadModel[]): readonly ReadModel[] =>
  models.some((model) => state.includes(model)) ? builds : builds.filter((model) => models.includes(model));

/** Returns whether a version with these tables replaces the live one, instead of some of its tables. */
export const replacesLiveVersion = ({ state }: GroupSchema, models: readonly ReadModel[]): boolean =>
  models.some((model) => state.includes(model));
