import type { Pool, PoolClient } from 'pg';
import type { ReadModel } from '@ledgerline/contracts/read-models/read-model';
import type { GroupSchema } from '@ledgerline/contracts/read-models/registry';
import { run, type Queryable } from '@ledgerline/platform/database/pool';
import { declarationOf, readStoredTables } from '@ledgerline/platform/database/read-model-tables';
import { sql } from '@ledgerline/platform/database/sql';
import type { LogReader } from '@ledgerline/platform/log/log-reader';
import { assertPlacement } from '@ledgerline/platform/read-stores/read-stores';
import { readLayout, type GroupLayout } from '@ledgerline/platform/table-versions/live-tables';
import { changeLayout, withdrawColumns, withoutPending, withVersionsLock } from './change-layout';
import { isSameTable, replacesLiveVersion, planTables } from './program-tables';
import { createCheckpoints, createVersion, type PlacedGroup } from './version-tables';

/**
 * The live version of a group; version 1 is created on the first start. Tables that this program declares in another way
 * go on answering where they can, and become pending in a version that is to be filled beside.
 * @throws StartFailure for a read store with other partitions
 */
export async function openLiveVersion(pool: Pool, group: PlacedGroup, log: LogReader<unknown>): Promise<number> {
  return withVersionsLock(pool, async (client) => {
    await run(
      client,
      sql`insert into projection_groups (name, live_version) values (${group.name}, 1) on conflict do nothing`,
    );
    if (group.name !== 'registry') await assertPlacement(client, group.share, group.name, await log.partitions());
    const version = await liveVersion(client, group);
    if ((await versionsOf(client, group, '')).length === 0) await createVersion(client, group, version, log);
    await createCheckpoints(client, group, version, log);
    return (await settleTables(client, group, log)).version;
  });
}

async function settleTables(client: PoolClient, group: PlacedGroup, log: LogReader<unknown>): Promise<GroupLayout> {
  await withdrawColumns(client, group);
  const layout = await readLayout(client, group.name);
  const stored = await readStoredTables(client, group.name);
  const { wanted } = layout ? planTables(group, layout, stored) : { wanted: [] };
  const pending =
    wanted.length === 0 ? undefined : await versionToFill(client, group, log, wanted, isLeftBy(group, wanted));
  return changeLayout(client, group.name, (now) => {
    const { tables } = planTables(group, now, stored);
    const waiting = wanted.map(({ name }) => [name, { ...tables[name], pending }] as const);
    return { ...now, tables: { ...withoutPending(tables), ...Object.fromEntries(waiting) } };
  });
}

/** An earlier program's goes on where it was left, also the one that answered before, but not for some of its tables. */
const isLeftBy =
  (group: GroupSchema, wanted: readonly ReadModel[]) => (version: number, _: number, previous: number | undefined) =>
    version !== previous || replacesLiveVersion(group, wanted);

/** One that was begun with these tables and those that computing reads; or else a new one, which begins with the log. */
export async function versionToFill(
  client: PoolClient,
  group: PlacedGroup,
  log: LogReader<unknown>,
  wanted: readonly ReadModel[],
  mayBe: (version: number, live: number, previous: number | undefined) => boolean,
): Promise<number> {
  const layout = await readLayout(client, group.name);
  const stored = await readStoredTables(client, group.name);
  const needed = group.builds.filter((model) => wanted.includes(model) || group.state.includes(model));
  const hasAll = (version: number) =>
    needed.every((model) => {
      const table = stored.find(({ name, version: its }) => name === model.name && its === version);
      return isSameTable(table?.declaration, declarationOf(model));
    });
  const begun = await versionsOf(client, group, await log.epoch());
  const { version: live, previous } = layout ?? { version: 0, previous: null };
  const isResumed = (version: number) => version !== live && mayBe(version, live, previous?.version);
  const found = begun.find(({ version, isSound }) => isSound && isResumed(version) && hasAll(version));
  if (found) return found.version;
  const version = Math.max(live, previous?.version ?? 0, ...[...begun, ...stored].map((each) => each.version)) + 1;
  await createVersion(client, group, version, log, needed);
  return version;
}

/** All versions that have checkpoints, the newest first; sound = of this log, and without parked events. */
const versionsOf = (client: PoolClient, { name }: Pick<GroupSchema, 'name'>, epoch: string) =>
  run<{ version: number; isSound: boolean }>(
    client,
    sql`select version, bool_and(epoch = ${epoch}) and not exists (
          select from parked_events where projection_group = ${name} and version = c.version and accepted_at is null
        ) as "isSound"
      from projection_checkpoints c where projection_group = ${name} group by version order by version desc`,
  );

export async function liveVersion(on: Queryable, { name }: Pick<GroupSchema, 'name'>): Promise<number> {
  const layout = await readLayout(on, name);
  if (!layout) throw new RangeError(`The group ${name} has no version yet; the projector makes it on its first start.`);
  return layout.version;
}
