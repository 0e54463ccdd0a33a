import { isDeepStrictEqual } from 'node:util';
import type { Group } from '@ledgerline/contracts/read-models/groups';
import { run } from '@ledgerline/platform/database/pool';
import { sql } from '@ledgerline/platform/database/sql';
import { readLayout, type GroupLayout, type TablePlace } from '@ledgerline/platform/table-versions/group-layout';
import type { PoolClient } from 'pg';

/** What may change of a layout. */
export type LayoutChange = Omit<GroupLayout, 'id'>;

/**
 * Changes which tables of a group answer or are written. TRICKY: a batch that is being written is finished first, and the
 * next one finds another layout at its claim, so that no table misses an event.
 */
export async function changeLayout(
  client: PoolClient,
  group: Group,
  change: (layout: GroupLayout) => LayoutChange,
): Promise<GroupLayout> {
  await run(
    client,
    sql`select from projection_checkpoints where projection_group = ${group}
      and version = (select live_version from projection_groups where name = ${group}) order by partition for update`,
  );
  await run(client, sql`select from projection_groups where name = ${group} for update`);
  const layout = await readLayout(client, group);
  if (!layout) throw new RangeError(`The group ${group} has no version.`);
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

function withoutDefaults(
  tables: Readonly<Record<string, TablePlace>>,
  live: number,
): Readonly<Record<string, TablePlace>> {
  const places = Object.entries(tables).map(([name, { version, ...place }]) => {
    const stated = JSON.stringify({ ...place, ...(version === live ? {} : { version }) }); // leaves out what is undefined
    return [name, JSON.parse(stated) as TablePlace] as const;
  });
  return Object.fromEntries(places.filter(([, place]) => Object.keys(place).length > 0));
}
