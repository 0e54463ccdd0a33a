import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run, type Queryable } from '../database/pool';
import { sql } from '../database/sql';

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

/** Which tables of a group answer; its row in `projection_groups`. */
export interface GroupLayout {
  /** Another one after every change. */
  readonly id: string;
  /** The live version, whose checkpoints are the position of all tables that answer. */
  readonly version: number;
  readonly tables: TablePlaces;
  /** What answered before the whole group was rebuilt; null = nothing is kept. */
  readonly previous: { readonly version: number; readonly tables: TablePlaces } | null;
}

/** Undefined before a projector has made the first version. */
export async function readLayout(on: Queryable, group: Group): Promise<GroupLayout | undefined> {
  const [layout] = await run<GroupLayout & Record<string, unknown>>(
    on,
    sql`select layout as id, live_version as version, tables, previous from projection_groups where name = ${group}`,
  );
  return layout;
}

/** The version whose schema has the table of a layout that answers. */
export const versionOf = ({ version, tables }: Pick<GroupLayout, 'version' | 'tables'>, table: string): number =>
  tables[table]?.version ?? version;

/** The version that is being filled to replace tables of the live one. */
export const pendingVersion = ({ tables }: Pick<GroupLayout, 'tables'>): number | undefined =>
  Object.values(tables).find(({ pending }) => pending !== undefined)?.pending;
