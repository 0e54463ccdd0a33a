import { schemaOf } from '@ledgerline/contracts/read-models/groups';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import { execute } from '@ledgerline/platform/database/read-model-ddl';
import { identifier } from '@ledgerline/platform/database/sql';
import { readStoredTables } from '@ledgerline/platform/database/table-declaration';
import {
  pendingVersion,
  readLayout,
  versionOf,
  type GroupLayout,
  type TablePlace,
} from '@ledgerline/platform/table-versions/group-layout';
import type { BoundGroup } from '../runner/bound-group';
import { changeLayout, type LayoutChange } from '../runner/change-layout';
import { withVersionsLock } from '../runner/live-version';
import { isWhole, withThose } from '../runner/plan-tables';
import { isWritable } from '../runner/resolve-tables';
import { dropUnused } from '../runner/version-tables';
import { alone } from './alone';
import { catchUp, NotRebuilt } from './catch-up';
import { whileLiveIsHeld } from './while-live-is-held';

/** What the tables of a group were before the last rebuild, which is written along until the next one. */

/** Makes tables answer as they did before. Answers their version. @throws NotRebuilt where nothing is kept */
export async function rollback(group: BoundGroup, tables: readonly ReadModel[] = group.builds): Promise<number> {
  const models = withThose(group, tables);
  const layout = await readLayout(group.pool, group.name);
  const previous = layout?.previous;
  if (layout && previous && isWhole(group, models)) {
    const frozen = Object.keys(previous.tables).filter((table) => previous.tables[table]?.isFrozen);
    if (frozen.length > 0) throw ofAnotherProgram(group, frozen);
    await whileLiveIsHeld({ group, version: previous.version }, (_, client) =>
      changeLayout(client, group.name, (now) => ({
        ...previous,
        previous: { version: now.version, tables: now.tables },
      })),
    );
    return previous.version;
  }
  const kept = models.filter(({ name }) => layout?.tables[name]?.previous !== undefined);
  const [first] = kept;
  if (!layout || !first || (isWhole(group, tables) && tables !== group.builds)) throw nothingKept(group, tables);
  await withVersionsLock(group.pool, (client) =>
    changeLayout(client, group.name, (now) => ({ ...now, tables: { ...now.tables, ...turned(now, kept) } })),
  );
  return layout.tables[first.name]?.previous ?? layout.version;
}

const nothingKept = ({ name }: BoundGroup, tables: readonly ReadModel[]) =>
  new NotRebuilt(
    `Nothing is kept of ${tables.length === 1 ? `the table ${tables[0]?.name ?? ''}` : name} from before its last rebuild.`,
  );

const ofAnotherProgram = ({ name }: BoundGroup, tables: readonly string[]) =>
  new NotRebuilt(
    `What is kept of ${name} would not answer: ${tables.join(', ')} are of another program version. Start that version to go back.`,
  );

const turned = ({ version, tables }: GroupLayout, kept: readonly ReadModel[]) =>
  Object.fromEntries(
    kept.map(({ name }): [string, TablePlace] => {
      const { version: now = version, previous } = tables[name] ?? {};
      return [name, { ...(previous === undefined ? {} : { version: previous }), previous: now }];
    }),
  );

/**
 * Drops what is kept of tables from before, what an interrupted rebuild has left, and, with what is kept of all tables,
 * those that only an earlier program needs. @throws RebuiltElsewhere
 */
export const dropPrevious = (group: BoundGroup, tables: readonly ReadModel[] = group.builds): Promise<void> =>
  alone(group, async () => {
    await dropVersions(group, (layout) => withoutPrevious(layout, withThose(group, tables)));
    if (tables === group.builds) await dropFormer(group);
  });

/** Drops the tables that only an earlier program has, when all of this one answer: they lack what happened since then. */
const dropFormer = (group: BoundGroup): Promise<void> =>
  withVersionsLock(group.pool, async (client) => {
    const { name } = group;
    const layout = await readLayout(client, name);
    const tables = formerTables(group, layout);
    if (!layout || tables.length === 0) return;
    const places = tables.map((table) => identifier(schemaOf(name, versionOf(layout, table)), table).text);
    await changeLayout(client, name, (now) => ({ ...now, tables: without(now.tables, tables) }));
    await execute(
      client,
      places.map((place) => `drop table if exists ${place}`),
    );
  });

/** None while this program has tables to fill, or what answered before can answer again. */
function formerTables({ builds }: BoundGroup, layout: GroupLayout | undefined): readonly string[] {
  if (!layout || layout.previous || pendingVersion(layout) !== undefined) return [];
  const frozen = Object.keys(layout.tables).filter((table) => layout.tables[table]?.isFrozen);
  return frozen.some((table) => builds.some(({ name }) => name === table)) ? [] : frozen;
}

const without = (places: GroupLayout['tables'], names: readonly string[]): GroupLayout['tables'] =>
  Object.fromEntries(Object.entries(places).filter(([name]) => !names.includes(name)));

/** A whole version is kept or dropped as a whole. */
export function withoutPrevious(layout: GroupLayout, models: readonly ReadModel[]): LayoutChange {
  const places = Object.entries(layout.tables).map(([name, { previous, ...place }]): [string, TablePlace] => {
    const isDropped = previous === undefined || models.some((model) => model.name === name);
    return [name, isDropped ? place : { ...place, previous }];
  });
  return { ...layout, tables: Object.fromEntries(places), previous: null };
}

/** Changes a layout and drops what it does not name. */
export const dropVersions = (group: BoundGroup, change: (layout: GroupLayout) => LayoutChange): Promise<void> =>
  withVersionsLock(group.pool, async (client) => {
    await dropUnused(client, group, await changeLayout(client, group.name, change));
  });

/** Brings the whole version that answered before to the position of the live one, if this program writes both. */
export async function keepPrevious(group: BoundGroup, signal: AbortSignal): Promise<void> {
  const layout = await readLayout(group.pool, group.name);
  if (!layout?.previous) return;
  if (isWritable(group, layout.previous, await readStoredTables(group.pool, group.name)))
    await catchUp({ group, version: layout.previous.version, signal });
}
