import { isDeepStrictEqual } from 'node:util';
import type { Pool, PoolClient } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { type Group, type GroupSchema, schemaOf } from '@ledgerline/contracts/read-models/registry';
import { run, transaction } from '@ledgerline/platform/database/pool';
import {
  type StoredTable,
  covers,
  declarationDdl,
  declarationOf,
  execute,
  readStoredTables,
  withoutOthers,
} from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import {
  readLayout,
  tableVersionOf,
  type GroupLayout,
  type TablePlace,
} from '@ledgerline/platform/table-versions/live-tables';
import { programOf, programWith } from '@ledgerline/platform/table-versions/program';
import { isWritable } from './program-tables';

/** The fields of a layout that may change. */
export type LayoutChange = Omit<GroupLayout, 'id'>;

type TablePlaces = GroupLayout['tables'];

/** Runs a change of versions, one at a time in all processes. */
export const withVersionsLock = <T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> =>
  transaction(pool, async (client) => {
    await run(client, sql`select pg_advisory_xact_lock(hashtext('ledgerline projection versions'))`);
    return work(client);
  });

/**
 * Changes which tables of a group answer or are written. TRICKY: a batch that is being written is finished first, and the
 * next one finds another layout at its claim, so that no table misses an event.
 */
export async function changeLayout(
  client: PoolClient,
  group: Group,
  change: (layout: GroupLayout) => LayoutChange,
): Promise<GroupLayout> {
  const layout = await lockLayout(client, group);
  const { version, previous, tables: changed } = change(layout);
  const wanted = { version, previous, tables: withoutDefaults(changed, version) };
  if (isDeepStrictEqual(wanted, { version: layout.version, previous: layout.previous, tables: layout.tables }))
    return layout;
  const tables = JSON.stringify(wanted.tables);
  await run(
    client,
    sql`update projection_groups set live_version = ${version}, tables = ${tables}::jsonb,
        previous = ${previous === null ? null : JSON.stringify(previous)}::jsonb,
        layout = gen_random_uuid()
      where name = ${group}`,
  );
  return (await readLayout(client, group)) ?? layout;
}

async function lockLayout(client: PoolClient, group: Group): Promise<GroupLayout> {
  await run(
    client,
    sql`select from projection_checkpoints where projection_group = ${group}
      and version = (select live_version from projection_groups where name = ${group}) order by partition for update`,
  );
  await run(client, sql`select from projection_groups where name = ${group} for update`);
  const layout = await readLayout(client, group);
  if (!layout) throw new RangeError(`The group ${group} has no version.`);
  return layout;
}

/**
 * Takes columns that stand on their own, and that this program does not declare, out of what tables that answer say that
 * they have, as this program does not write them: the rest of these tables goes on answering.
 */
export async function withdrawColumns(client: PoolClient, group: GroupSchema): Promise<void> {
  const layout = await readLayout(client, group.name);
  const stored = await readStoredTables(client, group.name);
  const statements = group.builds.flatMap((model) => {
    const versions = layout ? [tableVersionOf(layout, model.name), layout.tables[model.name]?.previous] : [];
    return stored.flatMap(({ name, version, declaration }) => {
      if (!declaration || name !== model.name || !versions.includes(version)) return [];
      const left = withoutOthers(declaration, declarationOf(model));
      return left === declaration ? [] : [declarationDdl(schemaOf(group.name, version), model, left)];
    });
  });
  if (statements.length === 0) return;
  await lockLayout(client, group.name);
  await execute(client, statements);
  await run(client, sql`update projection_groups set layout = gen_random_uuid() where name = ${group.name}`);
}

function withoutDefaults(tables: TablePlaces, live: number): TablePlaces {
  const places = Object.entries(tables).map(([name, { version, ...place }]) => {
    const stated = JSON.stringify({ ...place, ...(version === live ? {} : { version }) }); // leaves out what is undefined
    return [name, JSON.parse(stated) as TablePlace] as const;
  });
  return Object.fromEntries(places.filter(([, place]) => Object.keys(place).length > 0));
}

/**
 * A version answers as a whole. What answered before is kept, and written until a time, if this build can write it; that
 * of another build is left to it, whole as it is.
 */
export function wholeFlip(
  group: GroupSchema,
  layout: GroupLayout,
  stored: readonly StoredTable[],
  version: number,
  writtenUntil: string,
): LayoutChange {
  const { previous } = layout;
  const kept = { version: layout.version, tables: places(layout.tables), writtenUntil };
  const program = otherProgram(group, layout, stored);
  const isKept = isWritable(group, layout, stored) || program !== undefined;
  const tables = previous?.version === version ? previous.tables : {};
  return { version, tables, previous: isKept ? { ...kept, ...(program && { program }) } : null };
}

/** The build that declares the tables that answer, if it is another one and all of them are its own. */
function otherProgram(group: GroupSchema, layout: GroupLayout, stored: readonly StoredTable[]): string | undefined {
  const answering = stored.filter(({ name, version }) => version === tableVersionOf(layout, name));
  const isFrozen = Object.values(layout.tables).some((place) => place.isFrozen);
  const declared = answering.flatMap(({ name, declaration }) => (declaration ? [{ name, declaration }] : []));
  const program = programOf(declared);
  return isFrozen || declared.length === 0 || program === programWith(group.builds) ? undefined : program;
}

const places = (tables: TablePlaces): TablePlaces =>
  Object.fromEntries(
    Object.entries(tables).flatMap(([name, { version, isFrozen }]): [string, TablePlace][] => {
      const place = { ...(version === undefined ? {} : { version }), ...(isFrozen ? { isFrozen } : {}) };
      return version === undefined && !isFrozen ? [] : [[name, place]];
    }),
  );

/** Tables of a version answer; what answered before is kept if this program can go on writing it. */
export function partialFlip(
  layout: GroupLayout,
  stored: readonly StoredTable[],
  models: readonly ReadModel[],
  version: number,
): LayoutChange {
  const flipped = models.map((model): [string, TablePlace] => {
    const before = tableVersionOf(layout, model.name);
    const table = stored.find((each) => each.name === model.name && each.version === before);
    const isKept =
      table?.declaration && !layout.tables[model.name]?.isFrozen && covers(declarationOf(model), table.declaration);
    return [model.name, { version, ...(isKept ? { previous: before } : {}) }];
  });
  return { ...layout, tables: { ...layout.tables, ...Object.fromEntries(flipped) } };
}

/**
 * Returns a layout in which what answered before as a whole answers again, and what answers now is kept, and written
 * until a time.
 */
export const wholeRollback = (
  group: GroupSchema,
  layout: GroupLayout,
  stored: readonly StoredTable[],
  writtenUntil: string,
): LayoutChange => {
  const { version, tables } = layout;
  const program = otherProgram(group, layout, stored);
  const back = layout.previous ?? { version, tables };
  return {
    version: back.version,
    tables: back.tables,
    previous: { version, tables, writtenUntil, ...(program && { program }) },
  };
};

/** The tables of these models that answered before answer again, and those that answer now are kept. */
export function partialRollback(layout: GroupLayout, kept: readonly ReadModel[]): LayoutChange {
  const turned = kept.map(({ name }): [string, TablePlace] => {
    const { version = layout.version, previous } = layout.tables[name] ?? {};
    return [name, { ...(previous === undefined ? {} : { version: previous }), previous: version }];
  });
  return { ...layout, tables: { ...layout.tables, ...Object.fromEntries(turned) } };
}

/** Returns a layout without what is kept of these tables from before; a whole version as a whole. */
export function withoutPrevious(layout: GroupLayout, models: readonly ReadModel[]): LayoutChange {
  const tables = Object.entries(layout.tables).map(([name, { previous, ...place }]): [string, TablePlace] => {
    const isDropped = previous === undefined || models.some((model) => model.name === name);
    return [name, isDropped ? place : { ...place, previous }];
  });
  return { ...layout, tables: Object.fromEntries(tables), previous: null };
}

export const withoutPending = (tables: TablePlaces): TablePlaces =>
  Object.fromEntries(
    Object.entries(tables).map(([name, { version, previous, isFrozen }]) => [name, { version, previous, isFrozen }]),
  );

/** Returns whether tables are filled and have other rows than those that answer. */
export const hasDifferences = ({ tables }: GroupLayout): boolean =>
  Object.values(tables).some(({ differs }) => differs);

/** Returns a layout in which what is pending waits until its differences are accepted. */
export const withDifferences = (layout: GroupLayout): LayoutChange => ({
  ...layout,
  tables: Object.fromEntries(
    Object.entries(layout.tables).map(([name, place]) => [
      name,
      place.pending === undefined ? place : { ...place, differs: true as const },
    ]),
  ),
});
