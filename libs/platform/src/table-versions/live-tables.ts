import { LRUCache } from 'lru-cache';
import { RebuildingProblem } from '@ledgerline/contracts/errors/error-codes';
import { GROUP_TABLES } from '@ledgerline/contracts/group-tables';
import { fromKeys } from '@ledgerline/contracts/json';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type Group, GROUPS, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { type Queryable, run } from '../database/pool';
import { type TableDeclaration, covers, declarationOf, isAlike, readStoredTables } from '../database/read-model-tables';
import { identifier, sql, type Sql } from '../database/sql';
import { programWith } from './program';

/** A table that this program declares cannot be read: it is being filled, or is of another program. */
export class TableRebuilding extends Error {
  constructor(
    readonly group: Group,
    /** The version that is being filled; undefined = none is yet. */
    readonly version: number | undefined,
    table: string,
  ) {
    super(`The table ${table} of ${group} is being rebuilt.`);
    this.name = 'TableRebuilding';
  }
}

/** The tables of a group that answer, as a transaction sees them. */
export interface LiveTables {
  /** The version whose checkpoints are their position. */
  readonly version: number;
  /** Changes with every change of what tables answer. */
  readonly layout: string;
  /** A table that may lack columns of its model. @throws TableRebuilding */
  table(model: ReadModel): Sql;
  /** Returns whether a table answers that has every column of its model. */
  isWhole(model: ReadModel): boolean;
  /** Such a table. @throws TableRebuilding */
  wholeTable(model: ReadModel): Sql;
  /** The columns of a model that stand on their own (`holds`) and answer; none while its table cannot be read. */
  columnsOf(model: ReadModel): ReadonlySet<string>;
  /** Why a statement found a column missing that this program declares; undefined = no table that was named lacks any. */
  readonly lacking: TableRebuilding | undefined;
}

interface Resolved {
  readonly layout: GroupLayout;
  /** Declarations of the tables that answer; a table that is missing or frozen is left out. */
  readonly declared: ReadonlyMap<string, TableDeclaration>;
  /** The table that answers of a model, found once for all readers of the layout; undefined = no table. */
  readonly answering: Map<ReadModel, AnsweringTable | undefined>;
}

interface AnsweringTable {
  readonly name: Sql;
  /** It has every column of its model. */
  readonly isWhole: boolean;
  /** As `columnsOf`. */
  readonly columns: ReadonlySet<string>;
}

/** By the id of a layout, which is never used again. */
const resolved = new LRUCache<string, Resolved>({ max: 100 });

/**
 * Every reader of tables finds them by this. A layout that was read in the same transaction may be given by its id.
 * Undefined before there is a version.
 */
export async function liveTables(on: Queryable, group: Group, id?: string): Promise<LiveTables | undefined> {
  const found = (id === undefined ? undefined : resolved.get(id)) ?? (await resolve(on, group));
  return found && new ResolvedTables(group, found);
}

async function resolve(on: Queryable, group: Group): Promise<Resolved | undefined> {
  const layout = await readSeenLayout(on, group);
  if (!layout) return undefined;
  const known = resolved.get(layout.id);
  if (known) return known;
  const declared = new Map<string, TableDeclaration>();
  for (const { name, version, declaration } of await readStoredTables(on, group)) {
    const answers = version === tableVersionOf(layout, name) && !layout.tables[name]?.isFrozen;
    if (answers && declaration) declared.set(name, declaration);
  }
  const found: Resolved = { layout, declared, answering: new Map() };
  resolved.set(layout.id, found);
  return found;
}

class ResolvedTables implements LiveTables {
  lacking: TableRebuilding | undefined;

  constructor(
    private readonly group: Group,
    private readonly of: Resolved,
  ) {}

  get version(): number {
    return this.of.layout.version;
  }

  get layout(): string {
    return this.of.layout.id;
  }

  table(model: ReadModel): Sql {
    const answering = this.answering(model);
    if (!answering) throw this.rebuilding(model);
    if (!answering.isWhole) this.lacking = this.rebuilding(model);
    return answering.name;
  }

  isWhole(model: ReadModel): boolean {
    return this.answering(model)?.isWhole ?? false;
  }

  wholeTable(model: ReadModel): Sql {
    if (!this.isWhole(model)) throw this.rebuilding(model);
    return this.table(model);
  }

  columnsOf(model: ReadModel): ReadonlySet<string> {
    return this.answering(model)?.columns ?? new Set();
  }

  private answering(model: ReadModel): AnsweringTable | undefined {
    const { layout, declared, answering } = this.of;
    if (answering.has(model)) return answering.get(model);
    const stored = declared.get(model.name);
    const isReadable = stored !== undefined && isAlike(stored, declarationOf(model));
    const own = Object.entries(model.columns).filter(([, { holds }]) => holds !== undefined);
    const table = isReadable
      ? {
          name: identifier(schemaOf(this.group, tableVersionOf(layout, model.name)), model.name),
          isWhole: covers(stored, declarationOf(model)),
          columns: new Set(own.map(([name]) => name).filter((name) => name in stored.columns)),
        }
      : undefined;
    answering.set(model, table);
    return table;
  }

  private rebuilding({ name }: ReadModel): TableRebuilding {
    const { layout } = this.of;
    return new TableRebuilding(this.group, layout.tables[name]?.pending ?? pendingVersion(layout), name);
  }
}

/** @throws RebuildingProblem instead of TableRebuilding, which says how much is filled by now */
export async function orRebuilding<T>(on: Queryable, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof TableRebuilding ? await rebuildingProblem(on, error) : error;
  }
}

export const rebuildingProblem = async (
  on: Queryable,
  { group, version }: TableRebuilding,
): Promise<RebuildingProblem> => new RebuildingProblem(await progressOf(on, group, version));

/** Returns how much of a version is filled, from 0 to 1. */
async function progressOf(on: Queryable, group: Group, version: number | undefined): Promise<number> {
  const [row] = await run<{ filled: number; wanted: number }>(
    on,
    sql`select coalesce(sum(greatest(c.events, c.filled)) filter (where c.version = ${version ?? null}::integer), 0)::float8 as filled,
        coalesce(sum(c.events) filter (where c.version = g.live_version), 0)::float8 as wanted
      from projection_groups g left join projection_checkpoints c on c.projection_group = g.name
      where g.name = ${group} group by g.name`,
  );
  if (!row || version === undefined) return 0;
  return row.wanted === 0 ? 1 : Math.min(1, row.filled / row.wanted);
}

/** Where a table is, if not simply in the schema of the live version. */
export interface TablePlace {
  /** The version whose schema has the table that answers. */
  readonly version?: number;
  /** The version whose schema has the one that answered before, which is written along. */
  readonly previous?: number;
  /** The version whose schema has the one that is being filled, to answer next. */
  readonly pending?: number;
  /** No longer written, as the program that runs cannot: it does not answer. */
  readonly isFrozen?: true;
  /** The pending one was filled and has other rows; it answers when that is accepted. */
  readonly differs?: true;
}

type TablePlaces = Readonly<Record<string, TablePlace>>;

/** A version that answered before. */
interface PreviousVersion {
  readonly version: number;
  readonly tables: TablePlaces;
  /** It is written until this time, ISO 8601; afterwards a rollback first brings it up to the live one. Absent: written. */
  readonly writtenUntil?: string;
  /** The other build whose tables these are (`programOf`): it alone goes on writing and reading them, while it runs. */
  readonly program?: string;
}

/** The tables of a group that answer; its row in `projection_groups`. */
export interface GroupLayout {
  /** Another one after every change. */
  readonly id: string;
  /** The live version, whose checkpoints are the position of all tables that answer. */
  readonly version: number;
  readonly tables: TablePlaces;
  /** The version that answered before the whole group was rebuilt; null = nothing is kept. */
  readonly previous: PreviousVersion | null;
}

/** This build, by group. */
const OWN = fromKeys(GROUPS, (group) => programWith(GROUP_TABLES[group].builds));

/**
 * The rows of `projection_groups` as this build sees them: where another build has switched to its own tables, those
 * that answered before are this build's, and go on answering it until it has ended.
 */
export const OWN_GROUPS: Sql = sql`(
  select name, layout,
    case when is_former then (previous->>'version')::integer else live_version end as live_version,
    case when is_former then previous->'tables' else tables end as tables,
    case when is_former then null else previous end as previous
  from projection_groups,
    lateral (select coalesce(previous->>'program' = ${JSON.stringify(OWN)}::jsonb->>name, false) as is_former) seen
)`;

/** Undefined before a projector has made the first version. */
export const readLayout = (on: Queryable, group: Group): Promise<GroupLayout | undefined> =>
  layoutIn(on, sql`projection_groups`, group);

/** As this build sees it: see `OWN_GROUPS`. */
const readSeenLayout = (on: Queryable, group: Group): Promise<GroupLayout | undefined> =>
  layoutIn(on, OWN_GROUPS, group);

async function layoutIn(on: Queryable, groups: Sql, group: Group): Promise<GroupLayout | undefined> {
  const [layout] = await run<GroupLayout & Record<string, unknown>>(
    on,
    sql`select layout as id, live_version as version, tables, previous from ${groups} g where name = ${group}`,
  );
  return layout;
}

/** The version whose schema has the table of a layout that answers. */
export const tableVersionOf = ({ version, tables }: Pick<GroupLayout, 'version' | 'tables'>, table: string): number =>
  tables[table]?.version ?? version;

/** The version that is being filled to replace tables of the live one. */
export const pendingVersion = ({ tables }: Pick<GroupLayout, 'tables'>): number | undefined =>
  Object.values(tables).find(({ pending }) => pending !== undefined)?.pending;
