import type { Pool } from 'pg';
import { migrateReadStore } from '@ledgerline/platform/database/migrate';
import { run } from '@ledgerline/platform/database/pool';
import { identifier, type Sql, sql } from '@ledgerline/platform/database/sql';
import {
  databaseOfMoment,
  type KeptMoment,
  markComplete,
  readMoments,
  urlOfMoment,
} from '@ledgerline/platform/read-stores/kept-moments';
import type { ReadStore } from '@ledgerline/platform/read-stores/read-stores';
import { DecidedErasures } from '../erasures/decided-erasures';
import { eraseVisits } from '../erasures/erase-visits';
import { putInForce } from '../erasures/put-in-force';
import { catchUp, NotRebuilt, type OnProgress, readLive } from '../rebuild/catch-up';
import { fillInBulk } from '../rebuild/fill-in-bulk';
import { finishFilling } from '../rebuild/rebuild';
import type { BoundGroup } from '../runner/bound-group';
import { hasVisits } from '../runner/erasure-rules';
import { openLiveVersion } from '../versions/live-version';
import { readUpgradeSize } from '../versions/upgrade';
import type { SnapshotCut } from './snapshot-cut';
import { openSnapshot, type SnapshotSources } from './snapshot-groups';

interface SnapshotOrder extends Omit<SnapshotSources, 'store'> {
  readonly name: string;
  readonly cut: SnapshotCut;
  /** The pool of the main database, where the logs are. */
  readonly main: Pool;
  readonly stores: readonly ReadStore[];
  /** The size of all snapshots of all read stores together. */
  readonly maxBytes: number;
  readonly onProgress?: (group: BoundGroup) => OnProgress;
  readonly signal?: AbortSignal;
}

/**
 * Fills complete read models of a past moment, each in a database beside its read store, without visitors that were
 * erased since. One that is interrupted leaves databases that do not answer, and is begun again.
 * @throws NotRebuilt where there is one of that name, or no room for it
 */
export async function makeSnapshot(order: SnapshotOrder): Promise<KeptMoment> {
  const { name, cut, stores, main } = order;
  await assertRoom(order);
  try {
    for (const store of stores) {
      const url = store.pool.options.connectionString ?? '';
      await dropDatabase(store.pool, await databaseOf(store, name)); // of one that was interrupted
      await createDatabase(store.pool, await databaseOf(store, name));
      await migrateReadStore(urlOfMoment(url, name));
      const { groups, close } = openSnapshot({ ...order, store }, main.options.connectionString ?? '', name, cut.ends);
      try {
        for (const group of groups) await fill(order, store.pool, group);
      } finally {
        await close();
      }
    }
    const moment: KeptMoment = { name, until: cut.until, madeAt: new Date().toISOString() };
    // the first one last: that one is looked at
    for (const store of stores.toReversed()) await markComplete(store.pool, await databaseOf(store, name), moment);
    return moment;
  } catch (error) {
    await dropSnapshot(stores, name);
    throw error;
  }
}

/** Answers whether there was one. */
export async function dropSnapshot(stores: readonly ReadStore[], name: string): Promise<boolean> {
  let isFound = false;
  for (const { pool } of stores) {
    const found = (await readMoments(pool)).find((each) => each.name === name);
    if (!found) continue;
    isFound = true;
    await dropDatabase(pool, found.database);
  }
  return isFound;
}

/** In bytes, of each read store. */
export async function sizeOfDatabases(on: Pool, databases: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const rows = await run<{ name: string; bytes: number }>(
    on,
    sql`select name, pg_database_size(name)::float8 as bytes from unnest(${databases}::text[]) as of (name)`,
  );
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function assertRoom({ name, stores, maxBytes }: SnapshotOrder): Promise<void> {
  let needed = 0;
  let taken = 0;
  for (const { pool } of stores) {
    const moments = await readMoments(pool);
    if (moments.some((each) => each.name === name && each.moment))
      throw new NotRebuilt(`There is a snapshot "${name}"; drop it, or choose another name.`);
    const others = moments.filter((each) => each.name !== name).map(({ database }) => database);
    for (const bytes of (await sizeOfDatabases(pool, others)).values()) taken += bytes;
    for (const group of ['websites', 'links', 'monitors']) needed += (await readUpgradeSize(pool, group)).bytes;
  }
  const megabytes = (bytes: number) => `${Math.ceil(bytes / 1e6).toLocaleString('en-US')} MB`;
  if (needed + taken > maxBytes)
    throw new NotRebuilt(
      `The snapshot would take up to ${megabytes(needed)}, and others take ${megabytes(taken)} of ${megabytes(maxBytes)} (--room): drop some, or allow more.`,
    );
}

const databaseOf = async ({ pool }: ReadStore, name: string): Promise<string> => {
  const [own] = await run<{ name: string }>(pool, sql`select current_database() as name`);
  return databaseOfMoment(own?.name ?? '', name);
};

/** With the locale of the read store, as its order of texts is. */
async function createDatabase(on: Pool, database: string): Promise<void> {
  const [own] = await run<{ collate: string; ctype: string }>(
    on,
    sql`select datcollate as collate, datctype as ctype from pg_database where datname = current_database()`,
  );
  const quoted = (text = '') => `'${text.replaceAll("'", "''")}'`;
  await statement(
    on,
    `create database ${identifier(database).text} template template0 encoding 'UTF8'
      lc_collate ${quoted(own?.collate)} lc_ctype ${quoted(own?.ctype)}`,
  );
}

const dropDatabase = (on: Pool, database: string): Promise<void> =>
  statement(on, `drop database if exists ${identifier(database).text} with (force)`);

const statement = async (on: Pool, text: string): Promise<void> => void (await run(on, { text, values: [] }));

/** Fills the tables of a group; events that readers leave out for good are left out here, too. */
async function fill({ eventStore, onProgress, signal }: SnapshotOrder, live: Pool, group: BoundGroup): Promise<void> {
  const { pool, log } = group;
  if (group.name === 'websites') {
    await copyLeftOut(live, pool);
    await putInForce(pool, eventStore);
  }
  const version = await openLiveVersion(pool, group, log);
  const filling = { group, version, models: group.builds, onProgress: onProgress?.(group), signal };
  if (group.name === 'websites') await fillInBulk({ ...filling, live: await readLive(pool, group), mends: false });
  await catchUp(filling);
  await finishFilling(filling);
  if (hasVisits(group)) await eraseVisits(group, new DecidedErasures(eventStore));
}

/** What operators and erasures have left out. */
async function copyLeftOut(from: Pool, to: Pool): Promise<void> {
  await copyRows(from, to, 'erased_hits', sql`select * from erased_hits`);
  await copyRows(from, to, 'parked_events', sql`select * from parked_events where accepted_at is not null`);
}

async function copyRows(from: Pool, to: Pool, table: string, rows: Sql): Promise<void> {
  const [all] = await run<{ rows: string | null }>(from, sql`select json_agg(r)::text as rows from (${rows}) r`);
  if (all?.rows)
    await run(
      to,
      sql`insert into ${identifier(table)} overriding system value
          select * from json_populate_recordset(null::${identifier(table)}, ${all.rows}::json)`,
    );
}
